import { createReadStream } from 'node:fs'
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: 'https://haul.example.com/v1', apiKey: 'haul_…' })
const { text } = await client.audio.transcriptions.create({ model: 'whisper-1', file: createReadStream('talk.mp3') })
console.log(text)
