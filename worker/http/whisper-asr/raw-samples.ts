/** Samples without a header, as whisper-asr-webservice takes them. */
const SAMPLE_RATE = 16_000
const BYTES_PER_SAMPLE = 2
/** Readers then take all bytes that follow: the length is not known when the header is written. */
const UNKNOWN_BYTES = 0xffff_ffff

/** The header of a WAV file of such samples. */
export const wavHeader = (): Uint8Array => {
  const header = new DataView(new ArrayBuffer(44))
  const write = (offset: number, text: string): void => {
    for (const [index, character] of [...text].entries()) header.setUint8(offset + index, character.charCodeAt(0))
  }
  write(0, 'RIFF')
  header.setUint32(4, UNKNOWN_BYTES, true)
  write(8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  // PCM, in one channel.
  header.setUint16(20, 1, true)
  header.setUint16(22, 1, true)
  header.setUint32(24, SAMPLE_RATE, true)
  header.setUint32(28, SAMPLE_RATE * BYTES_PER_SAMPLE, true)
  header.setUint16(32, BYTES_PER_SAMPLE, true)
  header.setUint16(34, BYTES_PER_SAMPLE * 8, true)
  write(36, 'data')
  header.setUint32(40, UNKNOWN_BYTES, true)
  return new Uint8Array(header.buffer)
}
