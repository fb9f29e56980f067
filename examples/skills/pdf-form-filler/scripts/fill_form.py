#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = ["pypdf>=5"]
# ///
"""Fill a PDF form and write it to another file. Every value is checked first; if one is wrong, nothing is written."""

import argparse
import json
import os
import sys
from pathlib import Path

from list_fields import open_form
from pypdf import PdfWriter
from pypdf.generic import NameObject

TRUE, FALSE = frozenset(['yes', 'true', 'on', '1', 'x']), frozenset(['no', 'false', 'off', '0', ''])


def given_values(options):
    """The values of --data and of NAME=VALUE; the latter win."""
    values = {}
    if options.data:
        try:
            text = sys.stdin.read() if options.data == '-' else Path(options.data).read_text(encoding='utf-8')
            loaded = json.loads(text)
        except (OSError, ValueError) as error:
            sys.exit(f'--data {options.data} cannot be read: {error}')
        if isinstance(loaded, list):  # as list_fields.py --json writes it
            loaded = {item['name']: item['value'] for item in loaded}
        if not isinstance(loaded, dict):
            sys.exit('--data must be a JSON object of field names and values.')
        values.update(loaded)
    for pair in options.values:
        name, equals, value = pair.partition('=')
        if not equals:
            sys.exit(f'{pair!r} is not NAME=VALUE.')
        values[name] = value
    return values


def faults(fields, values, partial):
    """What is wrong with the values, a sentence each."""
    known = {field['name']: field for field in fields}
    for name in values:
        if name not in known:
            yield f'There is no field {name!r}. There is: {", ".join(known)}.'
    for name, field in known.items():
        value = str(values.get(name, field['value'])).strip()
        if field['required'] and not value and not partial:
            yield f'{name} is required. Give it a value, or pass --partial.'
        if name not in values:
            continue
        if field['kind'] == 'signature':
            yield f'{name} is a signature: a person must sign it.'
        elif field['kind'] == 'checkbox' and value.lower() not in TRUE | FALSE:
            yield f'{name} is a checkbox: yes or no, not {value!r}.'
        elif field['kind'] in ('radio', 'choice') and value and field['options'] and value not in field['options']:
            yield f'{name} takes one of {", ".join(field["options"])}, not {value!r}.'


def raw_value(field, value, states):
    """A value as the form keeps it."""
    text = str(value).strip()
    if field['kind'] == 'checkbox':
        on = next((state for state in states if state != '/Off'), '/Yes')
        return NameObject(on if text.lower() in TRUE else '/Off')
    if field['kind'] == 'radio':
        return NameObject(f'/{text}' if text else '/Off')
    return str(value)


def fill(reader, target, fields, values):
    writer, raw_fields, raw = PdfWriter(clone_from=reader), reader.get_fields(), {}
    for field in fields:
        if field['name'] in values:
            states = raw_fields[field['name']].get('/_States_', [])
            raw[field['name']] = raw_value(field, values[field['name']], states)
    for page in writer.pages:
        if '/Annots' in page:
            writer.update_page_form_field_values(page, raw, auto_regenerate=False)
    beside = f'{target}.part'
    try:
        with open(beside, 'wb') as file:
            writer.write(file)
        os.replace(beside, target)
    except OSError as error:
        sys.exit(f'{target} cannot be written: {error.strerror}.')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('form', help='the PDF form')
    parser.add_argument('target', help='the filled form to write; not the form itself')
    parser.add_argument('values', nargs='*', metavar='NAME=VALUE', help='values of fields')
    parser.add_argument('--data', metavar='FILE', help='a JSON object of values, or - for standard input')
    parser.add_argument('--partial', action='store_true', help='leave required fields empty')
    options = parser.parse_args()
    if os.path.realpath(options.form) == os.path.realpath(options.target):
        sys.exit('The target is the form itself, which must stay as it is. Name another file.')
    reader, fields = open_form(options.form)
    values = given_values(options)
    if not values:
        sys.exit('No values. Give NAME=VALUE, or --data.')
    if wrong := list(faults(fields, values, options.partial)):
        sys.exit('\n'.join([*wrong, 'Nothing was written.']))
    fill(reader, options.target, fields, values)
    _, filled = open_form(options.target)
    print(f'{options.target} was written. It holds:')
    for field in filled:
        print(f'  {field["name"]}: {field["value"] or "(empty)"}')


if __name__ == '__main__':
    main()
