import { getEventListeners } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Rendition } from '../../../container/source/source.ts'
import { downloadRenditions } from '../../../container/steps/download/download-renditions.ts'
import type { StepContext } from '../../../container/steps/step.ts'
import { scratchFolder } from '../audio/recordings.ts'

const workDir = scratchFolder()
const step = new AbortController()
const context = {
  signal: step.signal,
  workDir,
  progress: {
    set: () => {},
    flush: async () => {},
    onAgreed: () => () => {},
    changes: 0,
    downloadedBytes: 0,
    close: () => {},
  },
  needDisk: () => {},
} as Partial<StepContext> as StepContext

/** Of unknown size. */
const rendition = { sizeBytes: null } as Partial<Rendition> as Rendition

test('when the second file cannot be opened, the first one is closed at the end of the step, which has no listener left', async () => {
  await mkdir(join(workDir, 'download-0-1'))
  const download = downloadRenditions(
    {
      renditions: [rendition, rendition],
      durationSeconds: null,
      maxBytes: 1_000,
      maxPercent: 100,
      diskBytesFor: (bytes) => bytes,
      isResult: false,
    },
    context,
  )
  await expect(download).rejects.toThrow('EISDIR')
  step.abort()
  expect(getEventListeners(step.signal, 'abort')).toEqual([])
})
