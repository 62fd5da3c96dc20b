import OpenAI from 'openai'

export const run = async (file) => {
  const settings = { baseURL: 'https://haul.example.com/v1', apiKey: 'haul_…', dangerouslyAllowBrowser: true }
  const client = new OpenAI(settings)
  const { text } = await client.audio.transcriptions.create({ model: 'whisper-1', file })
  return text
}
