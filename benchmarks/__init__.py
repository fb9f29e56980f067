"""Figures against `pydantic-ai-skills` 2.1.0; `scripts/bench` runs them, README.md here says how to add one."""
