import { HOUR_MS, MINUTE_MS } from '../time.ts'
import { milliseconds, oneOf, serviceUrl, text, wholeNumber, ytDlpChannel, ytDlpIndex } from './rules.ts'
import { asListed, type Setting } from './setting.ts'

const both = { container: asListed, start: asListed }
const onlyHere = { container: asListed }

/** What only a container takes, from its own environment or through `npm start`. */
export const containerSettings = {
  ENGINE_NETWORK_PLACES: {
    rule: wholeNumber(1),
    default: '8',
    about: 'how many steps that need the network a container runs at once',
    takenBy: both,
  },
  ENGINE_WARM_UP: {
    rule: oneOf('on', 'off'),
    default: 'on',
    about:
      '`off` starts yt-dlp and the parser of untrusted files when they are first needed, which saves memory until then',
    takenBy: both,
  },
  DRAIN_MS: {
    rule: milliseconds(0),
    // What Cloudflare allows, less a minute.
    default: `${14 * MINUTE_MS}`,
    about: 'how long running steps may take after SIGTERM; `compose.yaml` sets two minutes',
    takenBy: onlyHere,
  },
  WORK_DIR: {
    rule: text,
    about: 'the folder for files of running steps. It is emptied at the start, so each container needs its own',
    otherwise: '`haul-engine-<port>` in the temporary folder',
    takenBy: onlyHere,
  },
  HAUL_PYTHON: {
    rule: text,
    about: 'the Python that has yt-dlp and the speech engine',
    otherwise: '`.tools/venv/bin/python`',
    takenBy: both,
  },
  YTDLP_CHANNEL: {
    rule: ytDlpChannel,
    default: 'pinned',
    about:
      'which yt-dlp is used: `pinned`, the one that this Haul was built with; `stable` or `nightly`, the newest one of the package index; or a version, such as `2026.10.26`. `compose.yaml` sets `stable`. See [sources that stop working](docs/operating.md#a-site-stopped-working)',
    // On Cloudflare, the Worker gives it to its containers.
    takenBy: { worker: asListed, ...both },
  },
  YTDLP_CANARY: {
    rule: oneOf('0', '1'),
    default: '0',
    about: '`1` gives this container nightly versions, so that they can be compared with what the others use',
    takenBy: onlyHere,
  },
  YTDLP_INDEX_URL: {
    rule: ytDlpIndex,
    default: 'https://pypi.org/simple',
    about: 'the Python package index that has new versions of yt-dlp. It must have the JSON API of PEP 691',
    takenBy: both,
  },
  YTDLP_CHECK_MS: {
    rule: milliseconds(1_000),
    default: `${4 * HOUR_MS}`,
    about: 'the longest time between two looks for a new version of yt-dlp',
    takenBy: both,
  },
  POT_PROVIDER_URL: {
    rule: serviceUrl('http://127.0.0.1:4416'),
    about:
      'the provider of [tokens for YouTube](docs/operating.md#tokens-for-youtube), a server of `bgutil-ytdlp-pot-provider`',
    // On Cloudflare, the Worker gives it to its containers.
    takenBy: { worker: asListed, ...both },
  },
  STT_PYTHON: {
    rule: text,
    about: "the Python that has the speech engine, if that is not yt-dlp's",
    otherwise: '`HAUL_PYTHON`',
    takenBy: both,
  },
  STT_MODEL_DIR: {
    rule: text,
    about: "a folder with another Whisper model in CTranslate2's format, and a manifest",
    otherwise: '`.tools/models/whisper-base`',
    takenBy: both,
  },
  SPEAKER_MODEL_DIR: {
    rule: text,
    about: 'a folder with other models that [tell speakers apart](docs/speech.md#who-speaks), and a manifest',
    otherwise: '`.tools/models/speakers`',
    takenBy: both,
  },
  STT_THREADS: {
    rule: wholeNumber(1),
    about: 'threads of the speech engine, which transcribes one recording at a time',
    otherwise: 'one for each core',
    takenBy: both,
  },
} as const satisfies Record<string, Setting>
