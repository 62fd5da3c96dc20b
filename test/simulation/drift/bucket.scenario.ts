interface Head {
  key: string
  size: number
  etag: string
  httpEtag: string
  httpMetadata?: { contentType?: string } | undefined
  customMetadata?: Record<string, string> | undefined
}

interface Multipart {
  uploadId: string
  uploadPart(number: number, body: Uint8Array): Promise<{ partNumber: number; etag: string }>
  complete(parts: { partNumber: number; etag: string }[]): Promise<Head>
  abort(): Promise<void>
}

interface Bucket {
  head(key: string): Promise<Head | null>
  get(key: string, options?: object): Promise<(Head & { text?(): Promise<string>; body?: ReadableStream }) | null>
  put(key: string, body: string, options?: object): Promise<Head | null>
  delete(keys: string | string[]): Promise<void>
  list(options: object): Promise<{ objects: Head[]; truncated: boolean; cursor?: string }>
  createMultipartUpload(key: string, options?: object): Promise<Multipart>
  resumeMultipartUpload(key: string, uploadId: string): Multipart
}

const codeOf = async (asking: Promise<unknown>): Promise<string> => {
  try {
    await asking
    return 'nothing was thrown'
  } catch (cause) {
    return /\((\d{5})\)$/.exec((cause as Error).message)?.[1] ?? (cause as Error).message
  }
}

const shown = (head: Head | null) =>
  head && {
    ...{ key: head.key, size: head.size, etag: head.etag, isQuoted: head.httpEtag === `"${head.etag}"` },
    ...{ contentType: head.httpMetadata?.contentType ?? null, customMetadata: head.customMetadata },
  }

const PART_BYTES = 5 * 1024 * 1024

type Reader = ReadableStreamBYOBReader & {
  readAtLeast(least: number, view: Uint8Array): Promise<{ value?: Uint8Array; done: boolean }>
}

/** The sizes of what a reader with its own buffer gets of 10 bytes, and whether it was the end. */
const readsOf = async (body: ReadableStream): Promise<unknown[]> => {
  const reader = body.getReader({ mode: 'byob' }) as Reader
  const reads: unknown[] = []
  for (let isDone = false; !isDone; ) {
    const { value, done } = await reader.readAtLeast(6, new Uint8Array(6))
    isDone = done
    reads.push([value?.byteLength, done])
  }
  return reads
}

export const bucketScenario = async (bucket: Bucket) => {
  const metadata = { httpMetadata: { contentType: 'text/plain' }, customMetadata: { heard: 'yes' } }
  const put = await bucket.put('drift/a', 'hello', metadata)
  const refused = await bucket.put('drift/a', 'other', { onlyIf: { etagMatches: 'wrong' } })
  const part = await bucket.get('drift/a', { range: { offset: 1, length: 3 } })
  const unmet = await bucket.get('drift/a', { onlyIf: { etagMatches: 'wrong' } })
  await bucket.put('drift/digits', '0123456789')
  const digits = await bucket.get('drift/digits')
  const reads = digits?.body && (await readsOf(digits.body))
  await bucket.delete('drift/digits')
  await bucket.put('drift/b', '')
  await bucket.put('drift/c', 'c')
  const listed = await bucket.list({ prefix: 'drift/', limit: 2 })
  const rest = await bucket.list({ prefix: 'drift/', cursor: listed.cursor })

  const upload = await bucket.createMultipartUpload('drift/large', metadata)
  const resumed = bucket.resumeMultipartUpload('drift/large', upload.uploadId)
  const one = await resumed.uploadPart(1, new Uint8Array(PART_BYTES))
  const two = await resumed.uploadPart(2, new Uint8Array(3))
  const wrongEtag = await codeOf(resumed.complete([{ ...one, etag: 'wrong' }, two]))
  const large = await resumed.complete([one, two])
  const twice = await codeOf(resumed.complete([one, two]))
  const small = await bucket.createMultipartUpload('drift/small')
  const parts = [await small.uploadPart(1, new Uint8Array(10)), await small.uploadPart(2, new Uint8Array(10))]
  const tooSmall = await codeOf(small.complete(parts))
  await small.abort()
  const abortedTwice = await codeOf(small.abort())
  const uneven = await bucket.createMultipartUpload('drift/uneven')
  const unevenParts = [
    await uneven.uploadPart(1, new Uint8Array(PART_BYTES)),
    await uneven.uploadPart(2, new Uint8Array(PART_BYTES + 1)),
  ]
  const unequal = await codeOf(uneven.complete(unevenParts))
  await bucket.delete(['drift/b', 'drift/c', 'drift/nothing'])
  await bucket.delete('drift/large')
  return {
    ...{
      put: shown(put),
      head: shown(await bucket.head('drift/a')),
      refused,
      unmet: unmet !== null && !('body' in unmet),
    },
    reads,
    ...{ text: await part?.text?.(), size: part?.size, gone: await bucket.head('drift/b') },
    ...{ listed: listed.objects.map(({ key }) => key), truncated: listed.truncated },
    ...{ rest: rest.objects.map(({ key }) => key), restTruncated: rest.truncated },
    ...{
      large: { ...shown(large), etag: large.etag.replace(/^.*-/, '-') },
      wrongEtag,
      twice,
      tooSmall,
      unequal,
      abortedTwice,
    },
  }
}

const a = {
  ...{ key: 'drift/a', size: 5, etag: '5d41402abc4b2a76b9719d911017c592', isQuoted: true },
  ...{ contentType: 'text/plain', customMetadata: { heard: 'yes' } },
}

export const expectedBucket = {
  put: a,
  head: a,
  refused: null,
  unmet: true,
  reads: [
    [6, false],
    [4, false],
    [0, true],
  ],
  text: 'ell',
  size: 5,
  gone: null,
  listed: ['drift/a', 'drift/b'],
  truncated: true,
  rest: ['drift/c'],
  restTruncated: false,
  large: { ...a, key: 'drift/large', size: PART_BYTES + 3, etag: '-2' },
  wrongEtag: '10025',
  twice: '10024',
  tooSmall: '10011',
  unequal: '10048',
  abortedTwice: 'nothing was thrown',
}
