import json
import os

import openapi_client as haul
from openapi_client.exceptions import BadRequestException

settings = haul.Configuration(host=os.environ["HAUL_URL"], access_token=os.environ["HAUL_API_KEY"])
url = os.environ["MEDIA_URL"]

with haul.ApiClient(settings) as client:
    imports = haul.ImportsApi(client)
    account = haul.AccountApi(client).get_account()
    metadata = haul.MetadataApi(client).get_metadata(url)
    source = metadata.data.actual_instance
    assert isinstance(source, haul.SourceMetadata)
    started = imports.start_import(haul.ImportRequest(url=url, metadata={"episode": "42"}))
    done = imports.get_import(started.data.job_id, wait=30)
    assert done.data.result is not None
    refused = None
    try:
        haul.TranscriptionsApi(client).start_transcription(haul.TranscribeRequest())
    except BadRequestException as error:
        assert isinstance(error.data, haul.Refusal)
        refused = error.data.code

print(
    json.dumps(
        {
            "balance": account.data.balance_dollars,
            "platform": source.platform,
            "status": done.data.status,
            "episode": done.data.metadata["episode"],
            "bytes": done.data.result.file_size_bytes,
            "refused": refused,
        }
    )
)
