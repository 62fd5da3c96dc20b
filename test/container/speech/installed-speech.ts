import { dirname } from 'node:path'
import { beforeAll } from 'vitest'
import { speechSettings } from '../../../container/config.ts'
import { ensureSpeech } from '../../../scripts/speech.mjs'

const settings = speechSettings({})

export const toolsDir = dirname(dirname(settings.modelDir))

/** Five minutes: the first run on a machine downloads faster-whisper and 188 MB of weights. */
const INSTALL_TIMEOUT_MS = 300_000

/** Installs the speech engine, with all models, before the tests of a file, unless it is installed. */
export const installSpeech = () =>
  beforeAll(async () => {
    await ensureSpeech({ venvPython: settings.python, toolsDir, log: () => {}, models: 'both' })
  }, INSTALL_TIMEOUT_MS)
