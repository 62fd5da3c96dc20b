import { MINUTE_MS } from '../time.ts'
import { milliseconds, oneOf, text, wholeNumber } from './rules.ts'
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
  STT_THREADS: {
    rule: wholeNumber(1),
    about: 'threads of the speech engine, which transcribes one recording at a time',
    otherwise: 'one for each core',
    takenBy: both,
  },
} as const satisfies Record<string, Setting>
