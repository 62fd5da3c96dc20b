import { matchesGlob } from 'node:path'

/** The types of models that are read, and how a folder of each looks. */

export interface ModelType {
  /** A class of the engine for each (engines/). */
  kind: 'whisper' | 'moonshine' | 'onnx'
  /** For `onnx`, what onnx-asr calls it. */
  name: string
  /** In sentences. */
  called: string
  /** As in a shell, and as onnx-asr looks for them: `.onnx` may also be `.ort`. */
  files: readonly string[]
  /** Whether it tells when each word is said. */
  words: boolean
  /** The same files may be of another type, so config.json must have the name of this one. */
  onlyByConfig: boolean
}

const onnx = (name: string, called: string, files: readonly string[], other: Partial<ModelType> = {}): ModelType => ({
  kind: 'onnx',
  ...{ name, called, files },
  words: true,
  onlyByConfig: false,
  ...other,
})

const withoutTimes = { words: false }
const onlyByConfig = { onlyByConfig: true }
const encoderAndDecoder = ['**/encoder_model.onnx', '**/decoder_model_merged.onnx']
const ofWhisper = ['vocab.json', 'added_tokens.json']
const ofTransducer = ['encoder-model.onnx', 'decoder_joint-model.onnx', 'vocab.txt']
const ofGigaam = (version: string) => ['encoder', 'decoder', 'joint'].map((part) => `${version}_rnnt_${part}.onnx`)

/** If a folder has the files of several, it is the first. */
export const modelTypes: readonly ModelType[] = [
  onnx('whisper-ctranslate2', 'Whisper', ['model.bin'], { kind: 'whisper' }),
  onnx('whisper', 'Whisper as ONNX', [...encoderAndDecoder, ...ofWhisper], withoutTimes),
  onnx('whisper-ort', 'Whisper as one ONNX', ['whisper-*_beamsearch.onnx', ...ofWhisper], withoutTimes),
  onnx('moonshine', 'Moonshine', [...encoderAndDecoder, '**/tokenizer.{bin,json}'], {
    kind: 'moonshine',
    ...withoutTimes,
  }),
  onnx('nemo-conformer-ctc', 'NeMo with CTC', ['model.onnx', 'vocab.txt']),
  onnx('nemo-conformer-aed', 'Canary', ['encoder-model.onnx', 'decoder-model.onnx', 'vocab.txt'], withoutTimes),
  onnx('nemo-conformer-tdt', 'a transducer of NeMo', ofTransducer, onlyByConfig),
  onnx('nemo-conformer-rnnt', 'a transducer of NeMo', ofTransducer, onlyByConfig),
  onnx('kaldi-rnnt', 'Kaldi', ['*/encoder.onnx', '*/decoder.onnx', '*/joiner.onnx', '*/tokens.txt']),
  onnx('gigaam-v3-e2e-rnnt', 'GigaAM', [...ofGigaam('v3_e2e'), 'v3_e2e_rnnt_vocab.txt']),
  onnx('gigaam-v3-e2e-ctc', 'GigaAM', ['v3_e2e_ctc.onnx', 'v3_e2e_ctc_vocab.txt']),
  onnx('gigaam-v2-rnnt', 'GigaAM', [...ofGigaam('v?'), 'v?_vocab.txt']),
  onnx('gigaam-v2-ctc', 'GigaAM', ['v?_ctc.onnx', 'v?_vocab.txt']),
  onnx('gigaam-multilingual-ctc', 'GigaAM', ['multilingual*_ctc.onnx', 'multilingual_vocab.txt']),
  onnx('t-one-ctc', 'T-one', ['model.onnx', 'config.json'], onlyByConfig),
]

/** Networks in whole numbers have `.int8` in the names of all files, before their ending. */
const numbers = ['', '[._-]int8']

export const missingFrom = (names: readonly string[], { kind, files }: ModelType): string[] => {
  const variants = kind === 'onnx' ? numbers : ['']
  const missing = variants.map((numbers) =>
    files.filter((file) => !names.some((name) => matchesGlob(name, patternOf(file, numbers)))),
  )
  return (missing.sort((one, other) => one.length - other.length)[0] ?? []).map(readable)
}

const patternOf = (file: string, numbers: string): string => file.replace(/\.onnx$/, `${numbers}.{onnx,ort}`)

export const readable = (file: string): string => file.replace('**/', '').replace('{bin,json}', 'bin')
