"""A person approves each script in the terminal: `python examples/approve_in_terminal.py`.

The run stops with what is to be run; the answer, with the messages so far, begins the next one.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from offline import choose_model, load, parse_args, run
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied

from pydantic_ai_skills import SkillsCapability

HERE = Path(__file__).parent


def ask(requests: DeferredToolRequests) -> DeferredToolResults:
    """Show what would run, and take the answer for each. Without a terminal nothing is approved."""
    results = DeferredToolResults(metadata=requests.metadata)  # what was shown; anything else is asked again
    for call in requests.approvals:
        shown = requests.metadata[call.tool_call_id]
        print(f'{shown["skill"]} wants to run:  {shown["script"]} {shlex.join(shown["argv"])}')
        print(f'from {shown["source"]}, digest {shown["digest"][:12]}')
        try:
            answer = input('Run it? [y/N] ')
        except EOFError:
            answer = ''
            print()
        results.approvals[call.tool_call_id] = answer.lower() in ('y', 'yes') or ToolDenied('The user said no.')
    return results


def main() -> None:
    model = choose_model(
        parse_args().model,
        load('csv-profiler'),
        run('csv-profiler', 'scripts/profile.py', ['assets/sample.csv', 'price']),
    )
    skills = SkillsCapability(HERE / 'skills', approval='scripts')
    agent = Agent(model, output_type=[str, DeferredToolRequests], capabilities=[skills])
    result = agent.run_sync('What did people pay in assets/sample.csv?')
    while isinstance(result.output, DeferredToolRequests):
        result = agent.run_sync(message_history=result.all_messages(), deferred_tool_results=ask(result.output))
    print(result.output)


main()
