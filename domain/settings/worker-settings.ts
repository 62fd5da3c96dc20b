import { SomeLimits } from '../account/account-limits.ts'
import { readRegions } from '../account/regions.ts'
import { serviceNames } from '../jobs/providers.ts'
import * as limits from '../limits.ts'
import { PricesInDollars } from '../money/prices.ts'
import { readSourceProxies } from '../network/source-proxies.ts'
import { OpenaiModels } from '../openai-models.ts'
import { parseAdminTokens } from '../secrets/admin-tokens.ts'
import { parseSealKeys } from '../secrets/sealing.ts'
import {
  hostsWithPorts,
  jsonOf,
  milliseconds,
  oneOf,
  parsedBy,
  path,
  serviceUrl,
  share,
  text,
  textOf,
  url,
  urls,
  wholeNumber,
  ytDlpChannel,
} from './rules.ts'
import { type Setting, usualPrograms } from './setting.ts'

const ofServers = ['worker', 'selfHost'] as const
const sources = ['worker', 'container', 'start'] as const

const slot = { rule: oneOf(...serviceNames), about: 'the service behind this neutral provider name' }
const baseUrl = {
  about: "the base URL of this speech provider; OpenAI's ends with `/v1`",
  otherwise: "the provider's own",
}
const onlyContainer = { rule: oneOf('container'), otherwise: 'container' }
const s3Keys = "a key of the media bucket's S3 API"
const made = {
  rule: text,
  isSecret: true,
  otherwise: 'made at the first start',
  differs: { worker: { otherwise: 'required' } },
} as const
const proxies =
  'proxies for [sources that refuse data-centre addresses](docs/operating.md#sources-that-refuse-data-centre-addresses)'

/** The settings of the Worker: variables, and then secrets, whose values appear in no message and in no argument of a program. */
export const workerSettings = {
  PUBLIC_URL: {
    rule: url('https://haul.example.com'),
    about: 'where callers reach the Worker',
    otherwise: 'the address of each request',
    takenBy: ['worker', 'selfHost'],
  },
  ENGINE_URLS: {
    rule: urls('http://10.0.0.5:8788'),
    about:
      '`http://a:8788,http://b:8788`: uses containers that run elsewhere, with the `ENGINE_TOKEN` that they were started with, and starts none. Those of `npm start` must reach `127.0.0.1` and `PORT` of its machine, for example through a tunnel',
    takenBy: ['worker', 'start'],
  },
  CALLBACK_URL: {
    rule: url('http://10.0.0.2:8787'),
    about: 'where containers reach the Worker, if that is another URL',
    otherwise: 'where callers reach it',
    takenBy: ['worker', 'start'],
  },
  MIN_ENGINES: { rule: wholeNumber(0), default: '0', about: 'containers that stay warm', takenBy: ['worker'] },
  MAX_ENGINES: {
    rule: wholeNumber(1),
    default: '20',
    about: 'the most containers that are started',
    takenBy: ['worker'],
  },
  FLEETS: {
    rule: wholeNumber(1),
    default: '1',
    about: 'objects that share the coordination of the engines',
    takenBy: ['worker', 'selfHost'],
  },
  REGION: {
    rule: parsedBy(readRegions, 'location hints like weur, separated by spaces'),
    about:
      '[where](docs/fleet.md#regions) containers and what coordinates them are: one or more of `wnam`, `enam`, `sam`, `weur`, `eeur`, `apac`, `oc`, `afr`, `me`. The first is for new accounts',
    otherwise: 'near the first caller',
    takenBy: ['worker'],
  },
  ENGINE_DISK_BYTES: {
    rule: wholeNumber(1),
    about:
      "what a container's steps may use of its disk. The largest media follows from it. On your own server, it is what engines are expected to have until they report it",
    otherwise: '90 % of what is free',
    takenBy: ['worker', 'container', 'start', 'selfHost'],
    differs: { worker: { otherwise: '15 GB' }, selfHost: { otherwise: '15 GB' } },
  },
  ALLOW_PRIVATE_HOSTS: {
    // Compared with hosts and ports as URLs have them.
    rule: textOf(hostsWithPorts('10.0.0.5:9000')),
    about: '`host:port,…` that may be fetched although they are not public',
    takenBy: [...usualPrograms, 'container'],
  },
  SANDBOX: {
    rule: oneOf('strict', 'weak'),
    default: 'strict',
    about: '`weak` works without bubblewrap, for example on macOS. Files from strangers may then read yours',
    takenBy: sources,
  },
  YTDLP_CHANNEL: {
    rule: ytDlpChannel,
    default: 'pinned',
    about:
      'which yt-dlp is used: `pinned`, the one that this Haul was built with; `stable` or `nightly`, the newest one of the package index; or a version, such as `2026.10.26`. `compose.yaml` sets `stable`. See [sources that stop working](docs/operating.md#a-site-stopped-working)',
    takenBy: sources,
  },
  POT_PROVIDER_URL: {
    rule: serviceUrl('http://127.0.0.1:4416'),
    about:
      'the provider of [tokens for YouTube](docs/operating.md#tokens-for-youtube), a server of `bgutil-ytdlp-pot-provider`',
    takenBy: sources,
  },
  MEDIA_S3_ENDPOINT: {
    rule: url('https://ACCOUNT.r2.cloudflarestorage.com/BUCKET'),
    about: "the media bucket in R2's S3 API",
    otherwise: 'derived by the deployment',
    takenBy: ['worker'],
  },
  UPLOADS_PATH: {
    rule: path('/parts'),
    about: "callers send the parts of uploads to this path of the Worker's own host, whose server passes them on",
    otherwise: 'they send them to `MEDIA_S3_ENDPOINT`',
    takenBy: ['worker'],
  },
  LEASE_MS: {
    rule: milliseconds(1_000),
    default: `${limits.LEASE_MS}`,
    about: 'a step that does not report for this long runs again',
  },
  TRANSCRIPTION_WAIT_MS: {
    rule: milliseconds(1),
    default: `${limits.TRANSCRIPTION_WAIT_MS}`,
    about: 'how long a request of the OpenAI API, or of `/asr`, waits for its transcript',
  },
  TRANSCRIPTION_SILENCE_MS: {
    rule: milliseconds(1),
    default: `${limits.TRANSCRIPTION_SILENCE_MS}`,
    about:
      'how long a response that waits sends nothing. After that it sends a byte every sixth of this time. Keep it below the time-outs of proxies before the Worker',
  },
  MAX_BODY_BYTES: {
    rule: wholeNumber(1),
    default: `${limits.MAX_FILE_BYTES}`,
    about:
      'the largest file in the body of a request of the OpenAI API, or of `/asr`. Cloudflare limits it too, by its plan',
    differs: { selfHost: { default: '2000000000' } },
  },
  OPENAI_MODELS: {
    rule: jsonOf(
      OpenaiModels,
      'JSON like {"whisper-large":"haul-builtin"}, with names of up to 200 characters and the models haul-auto, haul-builtin, provider_a, provider_b and provider_c',
    ),
    about: '[names of models](docs/operating.md#models) in the OpenAI API and what they stand for, as JSON',
    otherwise: 'names that begin like those of speech models stand for `haul-builtin`',
  },
  MCP_WAIT_MS: {
    rule: milliseconds(1),
    default: `${limits.MCP_WAIT_MS}`,
    about: 'how long a tool call of MCP waits for its job. Clients give up after 60 seconds or more',
  },
  PRICES: {
    rule: jsonOf(
      PricesInDollars,
      'free, or JSON like {"downloadPerMegabyte":0.01,"captions":0.01,"builtinPerMinute":0.02,"providerPerMinute":0.01,"speechMinimum":0.03,"models":{"whisper-base":0.02}} with dollars from 0 to 1000, of at most six decimals',
    ),
    about:
      '[what callers are charged](docs/operating.md#prices), in dollars: `free`, or JSON with some of `downloadPerMegabyte`, `captions`, `builtinPerMinute`, `providerPerMinute`, `speechMinimum`, and `models` with a price per minute by the names of models. A price that is not named stays as usual',
    otherwise: 'the prices of the documentation',
    differs: { selfHost: { default: 'free' } },
  },
  RETENTION_DAYS: {
    rule: wholeNumber(1, 365),
    default: `${limits.RETENTION_DAYS}`,
    about: 'how many days the media of an import is stored',
  },
  MAX_MEDIA_HOURS: {
    rule: wholeNumber(1, 24),
    default: '12',
    about: 'the longest media that is imported or recognized',
  },
  DEFAULT_LIMITS: {
    rule: jsonOf(
      SomeLimits,
      'JSON in the shape of the limits in GET /account, like {"concurrentJobs":{"import":4}}, with whole numbers from 1',
    ),
    about:
      'the limits of accounts without limits of their own, as JSON in the shape of `limits` in `GET /account`, or a part of it',
    otherwise: 'those of the documentation',
  },
  JOB_HISTORY_DAYS: {
    rule: wholeNumber(1),
    default: `${limits.JOB_HISTORY_DAYS}`,
    about: 'ended jobs are removed after this many days, but not before their media',
  },
  JOB_LOG_SAMPLE: {
    rule: share,
    default: '1',
    about: 'the share of completed jobs that has log lines. Jobs that failed or were canceled always have them',
    // On Cloudflare each line is billed.
    takenBy: ['worker', 'container', 'selfHost'],
    differs: { worker: { default: '0.1' } },
  },
  PROVIDER_A: { ...slot, default: 'openai' },
  PROVIDER_B: { ...slot, default: 'deepgram' },
  PROVIDER_C: { ...slot, default: 'assemblyai' },
  OPENAI_BASE_URL: { ...baseUrl, rule: url('https://api.openai.com/v1') },
  DEEPGRAM_BASE_URL: { ...baseUrl, rule: url('https://api.deepgram.com') },
  ASSEMBLYAI_BASE_URL: { ...baseUrl, rule: url('https://api.assemblyai.com') },
  BUILTIN_SPEECH: {
    rule: oneOf('container', 'workers-ai'),
    about: 'what transcribes for the provider `builtin`',
    otherwise: '`workers-ai` with the binding `AI`, else `container`',
    // Workers AI runs only at Cloudflare.
    differs: { start: onlyContainer, selfHost: onlyContainer },
  },
  ENGINE_TOKEN: {
    ...made,
    about:
      'authenticates the Worker and its containers to each other. With `ENGINE_URLS`, it is the one that they were started with',
    takenBy: [...usualPrograms, 'container'],
    differs: { ...made.differs, container: { otherwise: 'required' } },
  },
  ADMIN_TOKEN: { ...made, about: 'for the `/admin` endpoints', takenBy: ofServers },
  ADMIN_TOKENS: {
    rule: parsedBy(parseAdminTokens, 'name:token entries, separated by commas'),
    isSecret: true,
    about: '`ada:<token>,…`: a token for each operator besides `ADMIN_TOKEN`',
  },
  HAUL_SECRET: { ...made, about: 'signs API keys, media links and leases', takenBy: ofServers },
  SEAL_KEYS: {
    ...made,
    rule: parsedBy(parseSealKeys, 'id:base64 entries of 32 bytes each, separated by commas'),
    about: "`k1:<32 bytes in base64>`: the first encrypts callers' secrets, all of them decrypt",
    takenBy: ofServers,
  },
  MEDIA_S3_ACCESS_KEY_ID: { ...made, about: s3Keys, takenBy: ofServers },
  MEDIA_S3_SECRET_ACCESS_KEY: { ...made, about: s3Keys, takenBy: ofServers },
  SOURCE_PROXY_URL: {
    rule: parsedBy((url) => readSourceProxies({ url }), 'a URL like http://user:password@proxy.example:8080'),
    isSecret: true,
    about: proxies,
    takenBy: sources,
  },
  SOURCE_PROXIES: {
    rule: parsedBy((byHost) => readSourceProxies({ byHost }), 'host=url entries, separated by spaces'),
    isSecret: true,
    about: proxies,
    takenBy: sources,
  },
} as const satisfies Record<string, Setting>
