"""`python -m pydantic_ai_skills` is the command `pydantic-ai-skills`."""

from __future__ import annotations

from .cli.main import main

if __name__ == '__main__':
    main()
