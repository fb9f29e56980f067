"""Syncing from S3: the first time, and again with nothing new, with a client as a user would pass it."""

import json
import sys
import tempfile
import urllib.request
from pathlib import Path
from time import perf_counter

import boto3
from botocore.config import Config

from pydantic_ai_skills import S3SkillsRegistry

url, skills = sys.argv[1], int(sys.argv[2])
client = boto3.session.Session().client(
    's3',
    endpoint_url=url,
    region_name='us-east-1',
    aws_access_key_id='a',
    aws_secret_access_key='b',
    config=Config(max_pool_connections=16),
)
client.list_objects_v2(Bucket='b', Prefix='skills/', MaxKeys=1)


def _counts():
    with urllib.request.urlopen(f'{url}/_count') as answer:
        return json.load(answer)


with tempfile.TemporaryDirectory() as folder:
    registry = S3SkillsRegistry('b', prefix='skills', target_dir=Path(folder) / 'store', boto3_client=client)
    times = {}
    for name in ('first', 'unchanged'):
        _counts()
        start = perf_counter()
        library = registry.sync()
        times[name] = perf_counter() - start
        times |= {f'{name} {kind}': number for kind, number in _counts().items()}
        assert len([child for child in Path(library).iterdir() if (child / 'SKILL.md').is_file()]) == skills
print(json.dumps(times))
