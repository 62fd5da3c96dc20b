import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Programs of others that Haul works with, each as its users write it. A row is run by the test of its group, and has a
 * row in the page "What Haul works with", which has the lines of its program that name Haul (works-with.test.ts).
 */
export interface Client {
  /** As in the page. Its tests are called `<name> …`. */
  name: string
  /** The file here that uses it. */
  program: string
  /**
   * What installs it, and pins its version: `requirements/*.txt` is a Python environment, `package.json` is npm, `go.mod` Go,
   * `Cargo.toml` Rust, and `system` the system's packages. The requests of a program were read from its `source`.
   */
  from: string
  /** Its name there. For a source its repository and commit. */
  package: string
}

const rows = (from: string, group: string, list: [name: string, program: string, packageName: string][]): Client[] =>
  list.map(([name, program, packageName]) => ({ name, from, program: `${group}/${program}`, package: packageName }))

/** They transcribe `talk.mp3` and print what they hear. */
export const openai: Client[] = [
  ...rows('requirements/mcp.txt', 'openai', [
    ['openai for Python', 'openai.py', 'openai'],
    ['SpeechRecognition', 'speech-recognition.py', 'SpeechRecognition'],
  ]),
  ...rows('package.json', 'openai', [
    ['openai for JavaScript', 'openai.mjs', 'openai'],
    ['AI SDK', 'ai-sdk.mjs', 'ai'],
  ]),
  ...rows('go.mod', 'openai', [
    ['openai-go', 'openai-go/main.go', 'github.com/openai/openai-go/v3'],
    ['go-openai', 'go-openai/main.go', 'github.com/sashabaranov/go-openai'],
  ]),
  ...rows('Cargo.toml', 'openai', [['async-openai', 'async-openai.rs', 'async-openai']]),
  ...rows('requirements/litellm.txt', 'openai', [
    ['LiteLLM', 'litellm.py', 'litellm'],
    ['LiteLLM’s proxy', 'litellm-proxy.py', 'litellm'],
  ]),
  ...rows('requirements/langchain.txt', 'openai', [
    ['LangChain’s OpenAIWhisperParser', 'langchain.py', 'langchain-community'],
    ['content-core', 'content-core.py', 'content-core'],
  ]),
  ...rows('requirements/wyoming.txt', 'openai', [['wyoming-openai', 'wyoming.py', 'wyoming-openai']]),
]

/** The same packages, with programs that ask for a stream. */
export const streaming: Client[] = [
  ...rows('requirements/mcp.txt', 'openai', [['openai for Python', 'stream.py', 'openai']]),
  ...rows('package.json', 'openai', [['openai for JavaScript', 'stream.mjs', 'openai']]),
  ...rows('go.mod', 'openai', [['openai-go', 'openai-go-stream/main.go', 'github.com/openai/openai-go/v3']]),
  ...rows('requirements/wyoming.txt', 'openai', [['wyoming-openai', 'wyoming.py', 'wyoming-openai']]),
]

/** And one that asks for everything else. */
export const answering: Client[] = rows('requirements/mcp.txt', 'openai', [
  ['openai for Python', 'answers.py', 'openai'],
])

/** They count the tools, transcribe the page https://example.com/talk, and print the result. */
export const mcp: Client[] = [
  ...rows('requirements/mcp.txt', 'mcp', [
    ['mcp for Python', 'mcp.py', 'mcp'],
    ['FastMCP', 'fastmcp.py', 'fastmcp'],
    ['OpenAI Agents for Python', 'openai-agents.py', 'openai-agents'],
    ['LlamaIndex', 'llama-index.py', 'llama-index-tools-mcp'],
  ]),
  ...rows('requirements/langchain.txt', 'mcp', [
    ['mcp 1 for Python', 'mcp-1.py', 'mcp'],
    ['LangChain’s MCP adapters', 'langchain.py', 'langchain-mcp-adapters'],
  ]),
  ...rows('package.json', 'mcp', [
    ['@modelcontextprotocol/client', 'client.mjs', '@modelcontextprotocol/client'],
    ['@modelcontextprotocol/sdk', 'sdk.mjs', '@modelcontextprotocol/sdk'],
    ['OpenAI Agents for JavaScript', 'openai-agents.mjs', '@openai/agents'],
    ['@ai-sdk/mcp', 'ai-sdk.mjs', '@ai-sdk/mcp'],
    ['mcp-remote', 'mcp-remote.mjs', 'mcp-remote'],
    ['MCP Inspector', 'inspector.sh', '@modelcontextprotocol/inspector'],
  ]),
  ...rows('go.mod', 'mcp', [
    ['MCP’s go-sdk', 'go-sdk/main.go', 'github.com/modelcontextprotocol/go-sdk'],
    ['mcp-go', 'mcp-go/main.go', 'github.com/mark3labs/mcp-go'],
  ]),
  ...rows('Cargo.toml', 'mcp', [['rmcp', 'rmcp.rs', 'rmcp']]),
]

const showsReason = [
  ...['mcp for Python', 'FastMCP', 'OpenAI Agents for Python', 'LlamaIndex'],
  ...['@modelcontextprotocol/client', '@modelcontextprotocol/sdk', '@ai-sdk/mcp'],
]

/** Those that show the message of a refusal. The others show its status, or that a key is needed. */
export const mcpReasons: Client[] = mcp.filter(({ name }) => showsReason.includes(name))

/** It tries the scenario SCENARIO. It is no client, so the page does not name it. */
export const mcpConformance: Client[] = rows('package.json', 'mcp', [
  ['MCP’s conformance suite', 'conformance.sh', '@modelcontextprotocol/conformance'],
])

/** They verify a webhook and print its body. */
export const webhooks: Client[] = [
  ...rows('requirements/mcp.txt', 'webhooks', [
    ['standardwebhooks for Python', 'standardwebhooks.py', 'standardwebhooks'],
    ['svix for Python', 'svix.py', 'svix'],
  ]),
  ...rows('package.json', 'webhooks', [
    ['standardwebhooks for JavaScript', 'standardwebhooks.mjs', 'standardwebhooks'],
    ['svix for JavaScript', 'svix.mjs', 'svix'],
  ]),
  ...rows('go.mod', 'webhooks', [
    [
      'standardwebhooks for Go',
      'standardwebhooks-go/main.go',
      'github.com/standard-webhooks/standard-webhooks/libraries',
    ],
    ['svix for Go', 'svix-go/main.go', 'github.com/svix/svix-webhooks'],
  ]),
  ...rows('Cargo.toml', 'webhooks', [
    ['standardwebhooks for Rust', 'standardwebhooks.rs', 'standardwebhooks'],
    ['svix for Rust', 'svix.rs', 'svix'],
  ]),
]

/** They read the events of the job HAUL_JOB until it has ended. */
export const eventStreams: Client[] = [
  ...rows('package.json', 'files', [['eventsource', 'eventsource.mjs', 'eventsource']]),
  ...rows('requirements/mcp.txt', 'files', [
    ['sseclient-py', 'sseclient.py', 'sseclient-py'],
    ['httpx-sse', 'httpx-sse.py', 'httpx-sse'],
  ]),
]

/** It connects again after each end of a stream, until it is told to stop. */
export const reconnecting: Client[] = eventStreams.filter(({ name }) => name === 'eventsource')

/** It imports MEDIA_URL when the stream of the account's events begins, and reads that until the import has ended. */
export const accountStreams: Client[] = rows('requirements/mcp.txt', 'files', [
  ['httpx-sse', 'httpx-sse-account.py', 'httpx-sse'],
])

/** They download MEDIA_URL in two parts, and print the file. */
export const downloads: Client[] = rows('system', 'files', [
  ['curl', 'curl.sh', 'curl'],
  ['wget', 'wget.sh', 'wget'],
  ['aria2', 'aria2.sh', 'aria2c'],
])

/** It reads MEDIA_URL and prints its length. */
export const probes: Client[] = rows('system', 'files', [['ffprobe', 'ffprobe.sh', 'ffprobe']])

/** They send `talk.mp3` in parts, and print the id of the upload. */
export const uploads: Client[] = rows('requirements/mcp.txt', 'files', [['requests', 'requests-upload.py', 'requests']])

/** They run in a page of another site: one transcribes a file, the other sends it in parts. */
export const pages: Client[] = rows('package.json', 'pages', [
  ['openai in a page', 'openai.mjs', 'openai'],
  ['Uppy’s aws-s3', 'uppy.mjs', '@uppy/aws-s3'],
])

/** What they send was read from their source (programs/programs.ts). */
const source = (name: string, repository: string): Client => ({
  name,
  from: 'source',
  program: 'programs/programs.ts',
  package: repository,
})

export const programs: Client[] = [
  source('Open WebUI', 'open-webui/open-webui@6adde20'),
  source('AnythingLLM', 'Mintplex-Labs/anything-llm@4cb4bb2'),
  source('LibreChat', 'danny-avila/LibreChat@00b3bc3'),
  source('n8n', 'n8n-io/n8n@8bd7c56'),
]

/** They speak the protocol of whisper-asr-webservice. */
export const asrPrograms: Client[] = [
  source('Bazarr', 'morpheus65535/bazarr@fe40438'),
  source('Speakr', 'murtaza-nasir/speakr@085dcba'),
]

export const allClients: Client[] = [
  ...[openai, programs, asrPrograms, mcp, webhooks, eventStreams, downloads, probes, uploads, pages].flat(),
]

const here = import.meta.dirname

/** Its version, as what installs it pins it. null: the system's. */
export const versionOf = ({ from, package: name }: Client): string | null => {
  if (from === 'system') return null
  if (from === 'source') return name.split('@')[1] ?? null
  const manifest = readFileSync(join(here, from), 'utf8')
  // PyPI takes `-` and `_` for the same.
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[-_]/g, '[-_]')
  const pinned = new RegExp(`^["\\s]*${escaped}"?\\s*(?:==|:|=|v)[^\\d\\n]*([\\w.-]+)`, 'mi').exec(manifest)
  if (!pinned?.[1]) throw new Error(`${from} does not pin ${name}.`)
  return pinned[1]
}

/** The name of the program that `go build` and `cargo build` make. */
export const builtName = ({ from, program }: Client): string =>
  from === 'go.mod' ? basename(dirname(program)) : `${program.replace('/', '-').replace('.rs', '')}`
