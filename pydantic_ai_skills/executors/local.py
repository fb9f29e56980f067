"""placeholder until the executors land"""

from __future__ import annotations

from typing import Any

from ..members import SkillScript


class LocalSkillScriptExecutor:
    """placeholder"""

    async def run(self, script: SkillScript, args: Any = None, ctx: Any = None, *, stdin: str | None = None) -> Any:
        """placeholder"""
        raise NotImplementedError
