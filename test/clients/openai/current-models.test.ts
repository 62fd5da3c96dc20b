import { execFile } from 'node:child_process'
import { copyFile, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect } from 'vitest'
import { answering, streaming } from '../clients.ts'
import { spoken, testEach, workspace } from '../workspace.ts'

/** What unmodified packages do with OpenAI's current models: transcripts as they are heard, speakers, translations, silence. */
const space = workspace()

beforeAll(async () => {
  const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '2', space.media('silence.wav')]
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', ...silence])
})

testEach(streaming, 'streams a transcript', async (client) => {
  const env = { WYOMING_MODEL_OPTION: '--stt-streaming-models=gpt-4o-transcribe' }
  expect(await space.outputOf(client, { env })).toMatch(spoken)
})

testEach(answering, 'is answered for current models, silence, speakers and a translation', async (client) => {
  const cwd = await mkdtemp(join(space.site.folder, 'answers-'))
  for (const name of ['talk.mp3', 'silence.wav']) await copyFile(space.media(name), join(cwd, name))
  const { models, speakers, silence, translation } = JSON.parse(await space.outputOf(client, { cwd }))
  for (const text of Object.values(models)) expect(text).toMatch(spoken)
  expect(speakers).toEqual(expect.arrayContaining([[expect.stringMatching(/^[A-Z]$/), expect.stringMatching(/\S/)]]))
  expect(silence).toBe('')
  expect(translation).toMatch(/\S/)
})
