from langchain_community.document_loaders.blob_loaders import Blob
from langchain_community.document_loaders.parsers.audio import OpenAIWhisperParser

parser = OpenAIWhisperParser(base_url="https://haul.example.com/v1", api_key="haul_…")
for document in parser.lazy_parse(Blob.from_path("talk.mp3")):
    print(document.page_content)
