import json
import os

from generated.openapi_python_client import AuthenticatedClient
from generated.openapi_python_client.api.account import get_account
from generated.openapi_python_client.api.imports import get_import, start_import
from generated.openapi_python_client.api.metadata import get_metadata
from generated.openapi_python_client.api.transcriptions import start_transcription
from generated.openapi_python_client.models import (
    GetAccountResponse200,
    GetImportResponse200,
    GetMetadataResponse200,
    ImportRequest,
    ImportRequestMetadata,
    Refusal,
    SourceMetadata,
    StartImportResponse202,
    TranscribeRequest,
)
from generated.openapi_python_client.types import Unset

haul = AuthenticatedClient(base_url=os.environ["HAUL_URL"], token=os.environ["HAUL_API_KEY"], timeout=None)
url = os.environ["MEDIA_URL"]

account = get_account.sync(client=haul)
assert isinstance(account, GetAccountResponse200)
metadata = get_metadata.sync(client=haul, url_query=url)
assert isinstance(metadata, GetMetadataResponse200) and isinstance(metadata.data, SourceMetadata)
request = ImportRequest(url=url, metadata=ImportRequestMetadata.from_dict({"episode": "42"}))
started = start_import.sync(client=haul, body=request)
assert isinstance(started, StartImportResponse202)
done = get_import.sync(client=haul, id=started.data.job_id, wait=30)
assert isinstance(done, GetImportResponse200) and not isinstance(done.data.result, Unset)
refused = start_transcription.sync(client=haul, body=TranscribeRequest())
assert isinstance(refused, Refusal)
print(
    json.dumps(
        {
            "balance": account.data.balance_dollars,
            "platform": metadata.data.platform,
            "status": done.data.status.value,
            "episode": done.data.metadata["episode"],
            "bytes": done.data.result.file_size_bytes,
            "refused": refused.code,
        }
    )
)
