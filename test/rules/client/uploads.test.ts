import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, data, drop, refused, scriptedService } from './scripted-service.ts'

const service = scriptedService()
const bytes = Buffer.from('0123456789')
const uploadId = 'upl_1'
const ready = { uploadId, status: 'ready', filename: 'speech.mp3', sizeBytes: 10, contentType: 'audio/mpeg' }
let path: string

beforeAll(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'haul-upload-')), 'speech.mp3')
  await writeFile(path, bytes)
})
afterAll(() => rm(join(path, '..'), { recursive: true }))

/** Three parts of 4, 4 and 2 bytes. `version` tells the URLs of one response from those of another. */
const pending = (version: string) => {
  const parts = [4, 4, 2].map((sizeBytes, index) => ({
    number: index + 1,
    url: `${service.url}/part/${index + 1}/${version}`,
    sizeBytes,
  }))
  return { uploadId, status: 'pending', filename: 'speech.mp3', sizeBytes: 10, partSizeBytes: 4, parts }
}

const stored =
  (etag: string): Answer =>
  (response) =>
    void response.writeHead(200, { etag }).end()
const part = (number: number, version = 'a') => `PUT /part/${number}/${version}`

const serve = () => {
  service.on('POST /uploads', data(pending('a'), 201))
  for (const number of [1, 2, 3]) service.on(part(number), stored(`"e${number}"`))
  service.on(`GET /uploads/${uploadId}`, data(pending('b')))
  service.on(`POST /uploads/${uploadId}/complete`, data(ready))
  service.on(`DELETE /uploads/${uploadId}`, data({ uploadId, status: 'removed' }))
}
const jsonOf = (route: string) => service.received(route).map(({ body }) => JSON.parse(`${body}`))
const sentBytes = (...routes: string[]) => routes.map((route) => `${service.received(route).at(-1)?.body}`)

test.each([
  ['a path', () => path],
  ['a File', () => new File([bytes], 'speech.mp3')],
])('the parts of %s are sent without the key, and completed with their ETags', async (_, source) => {
  serve()
  const progress: unknown[] = []
  const upload = await service
    .client()
    .uploads.create(source(), { onProgress: ({ percent }) => progress.push(percent) })
  expect(upload).toEqual(ready)
  expect(jsonOf('POST /uploads')).toEqual([{ filename: 'speech.mp3', sizeBytes: 10 }])
  expect(sentBytes(part(1), part(2), part(3))).toEqual(['0123', '4567', '89'])
  expect(service.received(part(1))[0]?.headers.authorization).toBeUndefined()
  const [{ parts }] = jsonOf(`POST /uploads/${uploadId}/complete`)
  expect(parts).toHaveLength(3)
  expect(parts).toEqual(expect.arrayContaining([1, 2, 3].map((number) => ({ number, etag: `"e${number}"` }))))
  expect(progress[0]).toBe(0)
  expect(progress.at(-1)).toBe(100)
  expect(service.received(`DELETE /uploads/${uploadId}`)).toEqual([])
})

test.each([
  ['its connection is lost', drop],
  ['its URL has expired', refused(403, 'AccessDenied')],
])('a part is sent again to a fresh URL if %s, and the others are not', async (_, answer) => {
  serve()
  service.on(part(2), answer)
  service.on(part(2, 'b'), stored('"e2"'))
  await service.client().uploads.create(path)
  expect(sentBytes(part(2, 'b'))).toEqual(['4567'])
  expect(service.received(part(1))).toHaveLength(1)
  expect(service.received(part(1, 'b'))).toHaveLength(0)
})

test('all parts are sent again if the storage has lost them', async () => {
  serve()
  service.on(`POST /uploads/${uploadId}/complete`, refused(422, 'UPLOAD_INCOMPLETE'), data(ready))
  for (const number of [1, 2, 3]) service.on(part(number, 'b'), stored('"new"'))
  expect(await service.client().uploads.create(path)).toEqual(ready)
  expect(sentBytes(part(1, 'b'), part(2, 'b'), part(3, 'b'))).toEqual(['0123', '4567', '89'])
})

test('a completion whose response is lost is repeated', async () => {
  serve()
  service.on(`POST /uploads/${uploadId}/complete`, drop, data(ready))
  expect(await service.client().uploads.create(path)).toEqual(ready)
})

const complete = `POST /uploads/${uploadId}/complete`

test.each([
  ['a file that is not media', complete, refused(422, 'SOURCE_UNSUPPORTED'), { code: 'SOURCE_UNSUPPORTED' }],
  ['a storage that cannot be reached', part(3), drop, { name: 'HaulConnectionError' }],
])('%s is reported, and leaves no upload behind', async (_, route, answer, error) => {
  serve()
  service.on(part(3, 'b'), drop)
  service.on(route, answer)
  await expect(service.client({ maxRetries: 2 }).uploads.create(path)).rejects.toMatchObject(error)
  expect(service.received(`DELETE /uploads/${uploadId}`)).toHaveLength(1)
})

test('an aborted upload rejects with the reason, and leaves no upload behind', async () => {
  serve()
  const controller = new AbortController()
  service.on(part(2), () => controller.abort('enough'))
  await expect(service.client().uploads.create(path, { signal: controller.signal })).rejects.toBe('enough')
  expect(service.received(`DELETE /uploads/${uploadId}`)).toHaveLength(1)
})

test('a file of a transcription is uploaded under its name, and the transcription reads the upload', async () => {
  serve()
  service.on('POST /transcribe', data({ jobId: 'trn_1', status: 'queued' }, 202))
  await service.client().transcribe({ file: new Blob([bytes]) }, { provider: 'builtin', wait: false })
  expect(jsonOf('POST /uploads')).toEqual([{ filename: 'file', sizeBytes: 10 }])
  expect(jsonOf('POST /transcribe')).toEqual([{ provider: 'builtin', uploadId }])
})

test('a path that does not exist is an error of the system, and nothing is sent', async () => {
  await expect(service.client().uploads.create('/no/such/file')).rejects.toMatchObject({ code: 'ENOENT' })
  expect(service.received()).toEqual([])
})
