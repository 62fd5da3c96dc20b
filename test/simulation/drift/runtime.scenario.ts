/** APIs of workerd that the Worker uses and Node does not have, or has with threads. Only globals are used. */
interface Globals {
  scheduler: { wait(ms: number, options?: { signal: AbortSignal }): Promise<void> }
  crypto: Crypto & { DigestStream: new (name: string) => WritableStream<Uint8Array> & { digest: Promise<ArrayBuffer> } }
  FixedLengthStream: new (sizeBytes: number) => TransformStream<Uint8Array, Uint8Array>
}

const hex = (bytes: ArrayBuffer | Uint8Array): string =>
  Array.from(new Uint8Array(bytes as ArrayBuffer), (byte) => byte.toString(16).padStart(2, '0')).join('')

const failureOf = async (asking: Promise<unknown>): Promise<string> => {
  try {
    await asking
    return 'nothing was thrown'
  } catch (cause) {
    return (cause as Error).name
  }
}

const utf8 = (text: string) => new TextEncoder().encode(text)

/** Requests and responses. The simulation's own classes hold their bodies without streams. */
const messages = async () => {
  const response = new Response('{"a":1}', { status: 201, headers: { 'x-header': 'value' } })
  const copy = new Response(response.body, response)
  const read = await copy.json()
  const request = new Request('https://haul.test/path', { method: 'post', body: utf8('body') })
  const again = new Request(request, { headers: { 'content-type': 'text/csv' } })
  const text = await again.text()
  return {
    copied: [copy.status, copy.ok, copy.headers.get('x-header'), copy.headers.get('content-type'), read],
    isCopyUsed: copy.bodyUsed,
    readTwice: await failureOf(copy.text()),
    requested: [again.method, again.url, again.headers.get('content-type'), text],
    empty: [new Response().body, await new Response().text(), new Request('https://haul.test').body],
    streamed: await new Response(new Response('streamed').body).text(),
    form: await new Response(new URLSearchParams({ a: 'b' })).text(),
    isResponse: [Response.json({}), new Response(response.headers.get('none'))].every((it) => it instanceof Response),
    noBody: await failureOf(Promise.resolve().then(() => new Response('body', { status: 204 }))),
    noGetBody: await failureOf(Promise.resolve().then(() => new Request('https://haul.test', { body: 'body' }))),
  }
}

export const runtimeScenario = async () => {
  const { crypto, FixedLengthStream, scheduler } = globalThis as unknown as Globals
  const { subtle } = crypto
  const root = await subtle.importKey('raw', utf8('secret'), 'HKDF', false, ['deriveKey'])
  const key = await subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8('info') },
    root,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign', 'verify'],
  )
  const signature = await subtle.sign('HMAC', key, utf8('text'))
  const aes = await subtle.importKey('raw', new Uint8Array(32).fill(7), 'AES-GCM', false, ['encrypt', 'decrypt'])
  const gcm = { name: 'AES-GCM', iv: new Uint8Array(12), additionalData: utf8('record') }
  const sealed = await subtle.encrypt(gcm, aes, utf8('text'))
  const opened = new TextDecoder().decode(await subtle.decrypt(gcm, aes, sealed))
  const forged = await failureOf(subtle.decrypt({ ...gcm, additionalData: utf8('other') }, aes, sealed))

  const digest = new crypto.DigestStream('SHA-256')
  const writer = digest.getWriter()
  await writer.write(utf8('te'))
  await writer.write(utf8('xt'))
  await writer.close()

  const fixed = new FixedLengthStream(4)
  const writing = fixed.writable.getWriter()
  const piped = new Response(fixed.readable).text()
  await writing.write(utf8('four'))
  await writing.close()

  const stopped = new AbortController()
  const waiting = failureOf(scheduler.wait(60_000, { signal: stopped.signal }))
  stopped.abort()
  return {
    signature: hex(signature),
    isVerified: await subtle.verify('HMAC', key, signature, utf8('text')),
    isForged: await subtle.verify('HMAC', key, signature, utf8('test')),
    sealed: hex(sealed),
    ...{ opened, forged },
    digest: hex(await digest.digest),
    sha256: hex(await subtle.digest('SHA-256', utf8('text'))),
    piped: await piped,
    stopped: await waiting,
    blob: hex(await new Blob(['a', utf8('b')]).arrayBuffer()),
    date: new Date(0).toISOString(),
    messages: await messages(),
  }
}

const sha256 = '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1'

export const expectedRuntime = {
  signature: '32388cfed7a3f3d5b344ea51c5cd01131e3fa676af5e6208191ed0db44670894',
  isVerified: true,
  isForged: false,
  sealed: '15bddcc6658a85a5e504eb222e3e74f3413757ec',
  opened: 'text',
  forged: 'OperationError',
  digest: sha256,
  sha256,
  piped: 'four',
  stopped: 'AbortError',
  blob: '6162',
  date: '1970-01-01T00:00:00.000Z',
  messages: {
    copied: [201, true, 'value', 'text/plain;charset=UTF-8', { a: 1 }],
    isCopyUsed: true,
    readTwice: 'TypeError',
    requested: ['POST', 'https://haul.test/path', 'text/csv', 'body'],
    empty: [null, '', null],
    streamed: 'streamed',
    form: 'a=b',
    isResponse: true,
    noBody: 'TypeError',
    noGetBody: 'TypeError',
  },
}
