import { createReadStream } from 'node:fs'
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: 'https://haul.example.com/v1', apiKey: 'haul_…' })
const file = createReadStream('talk.mp3')
let deltas = ''
for await (const event of await client.audio.transcriptions.create({
  model: 'gpt-4o-transcribe',
  file,
  stream: true,
})) {
  if (event.type === 'transcript.text.delta') deltas += event.delta
  if (event.type === 'transcript.text.done') console.log(event.text)
}
if (!deltas) throw new Error('no deltas')
