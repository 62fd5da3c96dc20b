import { readFile } from 'node:fs/promises'
import { createOpenAI } from '@ai-sdk/openai'
import { experimental_transcribe as transcribe } from 'ai'

const openai = createOpenAI({ baseURL: 'https://haul.example.com/v1', apiKey: 'haul_…' })
const { text, segments } = await transcribe({
  model: openai.transcription('whisper-1'),
  audio: await readFile('talk.mp3'),
})
if (segments.length === 0) throw new Error('no segments')
console.log(text)
