"""Agent specs: every option that is a plain value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent

from pydantic_ai_skills import (
    SkillsCapability,
)

from ..support import Seen, collect, load, read, scripted
from .helpers import instructions


class TestSpecs:
    def agent(self, tmp_path: Path, text: str, steps: Any = ()) -> Seen:
        spec = tmp_path / 'agent.yaml'
        spec.write_text(f'model: test\ncapabilities:\n  - SkillsCapability:\n{text}')
        seen = Seen()
        agent = Agent.from_file(spec, custom_capability_types=[SkillsCapability], model=scripted(steps, seen))
        collect(seen, agent.run_sync('go').all_messages())
        return seen

    def test_its_name(self) -> None:
        assert SkillsCapability.get_serialization_name() == 'SkillsCapability'

    def test_all_plain_options(self, library: Path, tmp_path: Path) -> None:
        text = f"""
      directories: [{library}, {library}/gone]
      exclude: [bare, typo]
      exclude_resources: ['*.csv']
      resources: true
      scripts: false
      require_loaded: false
      resolve_skill_dir: false
      list_bundled_files: true
      id: mine
      missing_directories: skip
      duplicate_names: keep_first
      unknown_names: skip
      max_retries: 2
"""
        seen = self.agent(tmp_path, text, [load(), read('a.md')])
        assert (seen.skills(), seen.tools[0], seen.last) == (
            ['demo', 'two'],
            ['load_capability', 'read_skill_resource'],
            'ALPHA',
        )
        assert '${SKILL_DIR}' in instructions(seen) and 'b.csv' not in instructions(seen)

    def test_one_directory_as_text(self, library: Path, tmp_path: Path) -> None:
        assert self.agent(tmp_path, f'      directories: {library}\n      include: [demo]\n').skills() == ['demo']

    def test_keyword_only(self, library: Path) -> None:
        with pytest.raises(TypeError):
            SkillsCapability.from_spec(str(library))  # type: ignore[misc]
        assert SkillsCapability.from_spec(directories=str(library)).directories == (str(library),)
        with pytest.raises(ValueError, match='needs a source'):
            SkillsCapability.from_spec(directories=None)

    def test_mistakes_in_a_spec(self, library: Path, tmp_path: Path) -> None:
        with pytest.raises(Exception, match='missing_directories must be'):
            self.agent(tmp_path, f'      directories: {library}\n      missing_directories: ignore\n')
        with pytest.raises(Exception, match='nonsense'):
            self.agent(tmp_path, f'      directories: {library}\n      nonsense: 1\n')
