from __future__ import annotations

import pytest

from pydantic_ai_skills.executors.output import cut_middle, exit_line, format_output, seconds_text


@pytest.mark.parametrize(
    ('stdout', 'stderr', 'last', 'text'),
    [
        ('', '', None, '(no output)'),
        (' \n', '\n', None, '(no output)'),
        ('a\n', '', None, 'a'),
        ('  a\r\n', '', None, '  a'),
        ('a\n', 'e\n', None, 'a\n\nStderr:\ne'),
        ('', 'e\n', 'end', 'Stderr:\ne\n\nend'),
        ('', '', 'end', 'end'),
    ],
)
def test_blocks(stdout: str, stderr: str, last: str | None, text: str) -> None:
    output = format_output(stdout, stderr, 100, last)
    assert (output.text, output.cut) == (text, False)


def test_head_and_tail_with_what_is_left_out() -> None:
    output = format_output('FIRST' + 'x' * 1_995, '', 101, 'Script exited with code 1')
    head, middle, tail = output.text.split('\n', 2)
    assert head == 'FIRST' + 'x' * 46
    assert middle == '[... 1,899 characters left out ...]'
    assert tail == 'x' * 50 + '\n\nScript exited with code 1'
    assert output.cut


def test_a_limit_of_one_and_none_needed() -> None:
    assert cut_middle('abc', 1) == 'a\n[... 2 characters left out ...]\n'
    assert cut_middle('abc', 3) == 'abc'


def test_the_last_error_survives_thirty_thousand_lines() -> None:
    output = format_output('x\n' * 30_000, 'Traceback\nValueError: this', 1_000, exit_line(1))
    assert output.text.endswith('ValueError: this\n\nScript exited with code 1')


@pytest.mark.parametrize(
    ('code', 'line'),
    [
        (0, None),
        (2, 'Script exited with code 2'),
        (139, 'Script exited with code 139 (killed by SIGSEGV)'),
        (255, 'Script exited with code 255'),
    ],
)
def test_exit_lines(code: int, line: str | None) -> None:
    assert exit_line(code) == line


def test_lengths_of_time() -> None:
    assert [seconds_text(value) for value in (1, 30, 0.5)] == ['1 second', '30 seconds', '0.5 seconds']
