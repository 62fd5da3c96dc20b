import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storedTranscript } from '../../../domain/words/transcript-body.ts'
import { framed, jsonWithTranscript } from '../../../worker/media/json-with-transcript.ts'
import { segmentsOf } from '../../../worker/media/transcripts.ts'
import { readStored } from '../../support/stored-transcript.ts'

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

const encode = (text: string) => new TextEncoder().encode(text)

const textOf = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const read: Uint8Array[] = []
  for await (const chunk of chunks) read.push(chunk)
  return new Blob(read).text()
}

const text = fc.oneof(
  fc.constantFrom('\n', '\\n', '"\n"', '東京🎬', '\\",', '}\n{"start":'),
  fc.string({ maxLength: 20 }),
)

test('the text and the segments are copied into other JSON, wherever the bytes are divided', async () => {
  const frame = { start: encode('{"a":1,"text":'), middle: encode(',"data":{"list":['), end: encode(']},"b":2}') }
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 5 }), fc.integer({ min: 1, max: 40 }), async (texts, size) => {
      const { body } = storedTranscript(texts.map((text, index) => ({ start: index, end: index + 1, text })))
      const { text: whole, segments } = readStored(body)
      const copied = await textOf(framed(frame, inChunks(body, size)))
      expect(copied).toBe(JSON.stringify({ a: 1, text: whole, data: { list: segments }, b: 2 }))
    }),
  )
})

const storedObject = async (bytes: Uint8Array | string) => {
  await env.MEDIA.put('transcript-to-copy', bytes)
  const object = await env.MEDIA.get('transcript-to-copy')
  if (!object) throw new Error('nothing is stored')
  return { body: object.body, sizeBytes: object.size }
}

test('a response has the length of the JSON before it is read', async () => {
  const { body } = storedTranscript([{ start: 0, end: 1, text: 'Über 東京 🎬' }])
  const json = jsonWithTranscript(await storedObject(body), ({ text, segments }) => ({ ö: 1, text, segments, ü: 2 }))
  const served = await env.MEDIA.put('copy', json)
  const { text, segments } = readStored(body)
  expect(await (await env.MEDIA.get('copy'))?.json()).toEqual({ ö: 1, text, segments, ü: 2 })
  expect(served?.size).toBe(encode(JSON.stringify({ ö: 1, text, segments, ü: 2 })).length)
})

test('a text that a caller chose is not mistaken for a place of the transcript', async () => {
  const { body } = storedTranscript([{ start: 0, end: 1, text: 'Hi' }])
  const json = jsonWithTranscript(await storedObject(body), ({ text, segments }) => ({
    url: 'https://x.example/"text"',
    text,
    segments,
  }))
  expect(await new Response(json).json()).toEqual({
    url: 'https://x.example/"text"',
    text: 'Hi',
    segments: [{ start: 0, end: 1, text: 'Hi' }],
  })
})

test('a damaged object breaks the response off', async () => {
  const json = jsonWithTranscript(await storedObject('"Hi"'), ({ text, segments }) => ({ text, segments }))
  await expect(new Response(json).text()).rejects.toThrow()
})

test('an object that ends between two segments breaks off what is read of it', async () => {
  const { body } = storedTranscript([0, 1, 2].map((at) => ({ start: at, end: at + 1, text: 'Hi' })))
  const cut = await storedObject(body.subarray(0, body.lastIndexOf(10)))
  const read = async () => {
    for await (const _ of segmentsOf({ ...cut, sizeBytes: body.length }));
  }
  await expect(read()).rejects.toThrow('the stored transcript is incomplete')
})
