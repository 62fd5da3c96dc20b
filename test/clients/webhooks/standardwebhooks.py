"""Verifies the webhook in stdin: its headers as JSON in the first line, then its body."""

import json
import os
import sys

from standardwebhooks import Webhook

headers, body = sys.stdin.read().split("\n", 1)
print(json.dumps(Webhook(os.environ["HAUL_WEBHOOK_SECRET"]).verify(body, json.loads(headers)), default=str))
