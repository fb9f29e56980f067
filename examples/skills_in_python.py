"""A skill written in Python, whose functions use the agent's dependencies: `python examples/skills_in_python.py`."""

from __future__ import annotations

from dataclasses import dataclass

from offline import choose_model, load, parse_args, run
from pydantic_ai import Agent, RunContext

from pydantic_ai_skills import Skill, SkillsCapability


@dataclass
class Shop:
    """What the application knows; an example of `deps`."""

    customer: str
    invoices: dict[int, float]


billing = Skill(
    'billing',
    'Answers questions about invoices of the current customer. Use it for amounts, due dates and refunds.',
    'Look the invoice up with the script `invoice` before you name an amount. Refunds follow the resource `policy`.',
)


@billing.script
def invoice(ctx: RunContext[Shop], number: int) -> str:
    """Look an invoice up by its number."""
    amount = ctx.deps.invoices.get(number)
    return f'No invoice {number}.' if amount is None else f'Invoice {number} for {ctx.deps.customer}: {amount:.2f} EUR'


@billing.resource
def policy() -> str:
    """When money is given back."""
    return 'Within 30 days, without a reason.'


model = choose_model(parse_args().model, load('billing'), run('billing', 'invoice', {'number': 42}))
agent = Agent(model, deps_type=Shop, capabilities=[SkillsCapability(skills=[billing])])

print(agent.run_sync('How much was invoice 42?', deps=Shop('Ada', {42: 19.5})).output)
