import { HOUR_MS, MINUTE_MS } from '../time.ts'
import {
  hostsWithPorts,
  milliseconds,
  namedFolders,
  oneOf,
  port,
  portOrAny,
  text,
  url,
  wholeNumber,
  ytDlpIndex,
} from './rules.ts'
import type { Setting } from './setting.ts'

/** What `npm start`, the own server and containers take for themselves. The Worker takes none of it. */
export const programSettings = {
  PORT: {
    rule: portOrAny,
    default: '8787',
    about: 'the port for callers, or of a container',
    takenBy: ['start', 'selfHost', 'container'],
    differs: { selfHost: { rule: port }, container: { default: '8788' } },
  },
  HOST: {
    rule: text,
    default: '127.0.0.1',
    about: "the address on which it listens; the container's image sets `0.0.0.0`",
    takenBy: ['container', 'selfHost'],
    differs: { selfHost: { default: '0.0.0.0' } },
  },
  ENGINE_PORT: { rule: portOrAny, default: '8788', about: 'the port of the container', takenBy: ['start'] },
  ENGINES: {
    rule: wholeNumber(1, 64),
    default: '1',
    about: 'containers to start; they share the cores and the disk, and have the ports from `ENGINE_PORT` on',
    takenBy: ['start'],
  },
  HAUL_STATE: {
    rule: text,
    about: 'databases, media, logs and `dev.json`; each instance needs its own',
    otherwise: '`.haul/`',
    takenBy: ['start'],
  },
  HAUL_SPEECH: {
    rule: oneOf('on', 'off'),
    default: 'on',
    about: '`off` starts without the built-in speech engine (downloads of 214 MB)',
    takenBy: ['start'],
  },
  ENGINE_IMAGE: {
    rule: text,
    about: 'an image that `npm run test:image` has built, to run the containers from',
    otherwise: 'none: they are plain processes',
    takenBy: ['start'],
  },
  DATA_DIR: { rule: text, default: '/data', about: 'the folder of all data and secrets', takenBy: ['selfHost'] },
  INTERNAL_URL: {
    rule: url('http://haul:8789'),
    about: 'where engines reach this server',
    otherwise: '`http://haul` with `INTERNAL_PORT`',
    takenBy: ['selfHost'],
  },
  INTERNAL_PORT: {
    rule: port,
    default: '8789',
    about: 'the port for engines, which must never be published',
    takenBy: ['selfHost'],
  },
  INTERNAL_HOST: {
    rule: text,
    default: '0.0.0.0',
    about: 'the address on which it listens for engines',
    takenBy: ['selfHost'],
  },
  ENGINE_HOSTS: {
    rule: hostsWithPorts('engine:8788'),
    default: 'engine:8788',
    about: 'where the engines are. Each address of a name is an engine',
    takenBy: ['selfHost'],
  },
  ENGINE_TOKEN_FILE: {
    rule: text,
    about: 'a file with the `ENGINE_TOKEN`, which the own server writes and engines read if they have no other',
    takenBy: ['container', 'selfHost'],
  },
  BUILD_DIR: {
    rule: text,
    about: "the Worker's bundle, as `node self-host/build.ts` writes it",
    otherwise: '`dist/`',
    takenBy: ['selfHost'],
  },
  ENGINE_NETWORK_PLACES: {
    rule: wholeNumber(1),
    default: '8',
    about: 'how many steps that need the network a container runs at once',
    takenBy: ['container', 'start'],
  },
  ENGINE_WARM_UP: {
    rule: oneOf('on', 'off'),
    default: 'on',
    about:
      '`off` starts yt-dlp and the parser of untrusted files when they are first needed, which saves memory until then',
    takenBy: ['container', 'start'],
  },
  DRAIN_MS: {
    rule: milliseconds(0),
    // What Cloudflare allows, less a minute.
    default: `${14 * MINUTE_MS}`,
    about: 'how long running steps may take after SIGTERM; `compose.yaml` sets two minutes',
    takenBy: ['container'],
  },
  WORK_DIR: {
    rule: text,
    about: 'the folder for files of running steps. It is emptied at the start, so each container needs its own',
    otherwise: '`haul-engine-<port>` in the temporary folder',
    takenBy: ['container'],
  },
  HAUL_PYTHON: {
    rule: text,
    about: 'the Python that has yt-dlp and the speech engine',
    otherwise: '`.tools/venv/bin/python`',
    takenBy: ['container', 'start'],
  },
  YTDLP_CANARY: {
    rule: oneOf('0', '1'),
    default: '0',
    about: '`1` gives this container nightly versions, so that they can be compared with what the others use',
    takenBy: ['container'],
  },
  YTDLP_INDEX_URL: {
    rule: ytDlpIndex,
    default: 'https://pypi.org/simple',
    about: 'the Python package index that has new versions of yt-dlp. It must have the JSON API of PEP 691',
    takenBy: ['container', 'start'],
  },
  YTDLP_CHECK_MS: {
    rule: milliseconds(1_000),
    default: `${4 * HOUR_MS}`,
    about: 'the longest time between two looks for a new version of yt-dlp',
    takenBy: ['container', 'start'],
  },
  STT_PYTHON: {
    rule: text,
    about: "the Python that has the speech engine, if that is not yt-dlp's",
    otherwise: '`HAUL_PYTHON`',
    takenBy: ['container', 'start'],
  },
  SPEECH_MODEL: {
    rule: oneOf('whisper', 'moonshine', 'both'),
    default: 'whisper',
    about:
      'the weights that the set-up installs, and that the speech engine uses: `whisper` (Whisper base), `moonshine` (Moonshine base, only English) or `both`, where Whisper is the default model. An image has those of `--build-arg SPEECH_MODEL=…`',
    takenBy: ['container', 'start'],
  },
  STT_MODEL_DIR: {
    rule: text,
    about: 'a folder with another default model, and a manifest',
    otherwise: 'what `SPEECH_MODEL` says',
    takenBy: ['container', 'start'],
  },
  STT_MODELS: {
    rule: namedFolders,
    about:
      'more models: their names and folders, each with a manifest, such as `parakeet=/models/parakeet`, separated by spaces',
    takenBy: ['container', 'start'],
  },
  SPEAKER_MODEL_DIR: {
    rule: text,
    about: 'a folder with other models that [tell speakers apart](docs/speech.md#who-speaks), and a manifest',
    otherwise: '`.tools/models/speakers`',
    takenBy: ['container', 'start'],
  },
  STT_THREADS: {
    rule: wholeNumber(1),
    about: 'threads of the speech engine, which transcribes one recording at a time',
    otherwise: 'one for each core',
    takenBy: ['container', 'start'],
  },
} as const satisfies Record<string, Setting>
