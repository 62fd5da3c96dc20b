/** What workerd's streams have and Node's have not, and Node's Blob without threads. */

const RealBlob = Blob

export class BytesBlob extends RealBlob {
  readonly #bytes: Uint8Array<ArrayBuffer>

  constructor(parts: (string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob)[] = [], options: BlobPropertyBag = {}) {
    super(parts, options)
    this.#bytes = new Uint8Array(Buffer.concat(parts.map(bytesOf)))
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes.slice().buffer
  }

  override async text(): Promise<string> {
    return new TextDecoder().decode(this.#bytes)
  }

  static bytesOf(blob: BytesBlob): Uint8Array<ArrayBuffer> {
    return blob.#bytes
  }
}

const bytesOf = (part: string | Uint8Array | ArrayBuffer | Blob): Uint8Array => {
  if (typeof part === 'string') return Buffer.from(part)
  if (part instanceof ArrayBuffer) return new Uint8Array(part)
  if (part instanceof Uint8Array) return part
  if (part instanceof BytesBlob) return BytesBlob.bytesOf(part)
  throw new Error('this part of a Blob is not simulated')
}

/** Errors when more or fewer bytes pass than were announced. */
export class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(sizeBytes: number) {
    let passed = 0
    super({
      transform: (chunk, controller) => {
        passed += chunk.byteLength
        if (passed > sizeBytes) throw new TypeError('Attempt to write too many bytes through a FixedLengthStream.')
        controller.enqueue(chunk)
      },
      flush: () => {
        if (passed < sizeBytes) throw new TypeError('FixedLengthStream did not see all expected bytes before close().')
      },
    })
  }
}

const ended = new WeakSet<ReadableStreamBYOBReader>()

/** The last bytes come without `done` if they are fewer than `least`. Node reports both at once. */
export async function readAtLeast(this: ReadableStreamBYOBReader, least: number, view: Uint8Array) {
  if (ended.has(this)) return { value: new Uint8Array(), done: true }
  const read = this.read as (view: Uint8Array, options: { min: number }) => ReturnType<typeof this.read>
  const { value, done } = await read.call(this, view, { min: least })
  if (!done || !value?.byteLength) return { value, done }
  ended.add(this)
  return { value, done: false }
}
