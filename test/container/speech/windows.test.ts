import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { speechSettings } from '../../../container/config.ts'
import { runs } from '../../support/runs.ts'
import { installSpeech } from './installed-speech.ts'

/** Seconds on a quiet machine, and a minute on a busy one. */
vi.setConfig({ testTimeout: 180_000 })

installSpeech()

const script = fileURLToPath(new URL('windows-in-pieces.py', import.meta.url))
const module = fileURLToPath(new URL('../../../container/speech', import.meta.url))

test('speech is found and grouped the same wherever a recording is cut, as faster-whisper finds it in one piece', async () => {
  const seed = process.env.FC_SEED ?? '1'
  const { stdout } = await promisify(execFile)(speechSettings().python, [
    ...['-I', script, module, seed, String(runs(2).numRuns)],
  ])
  expect(stdout).toBe('')
})
