import { Session } from 'node:inspector'

/**
 * Counts the operations of a function: the blocks of JavaScript that it executes, and the characters, bytes and items
 * that built-in functions read or write for it. The counts do not depend on the machine or its load, so a limit on
 * them can be strict where a limit in seconds could not.
 *
 * V8 counts blocks only in functions that it compiles after the start, so this file must be imported before the code
 * that is measured runs, in a process of its own (the project `fuzz`).
 *
 * Not counted: a string built by `+` (V8 joins lazily) or cut by `slice` (V8 refers to the original), and the
 * backtracking of regular expressions, which test/further/rules/scripts/regular-expressions.test.ts excludes.
 */
export const countOperations = <Result>(work: () => Result): { operations: number; result: Result } => {
  const count = startCount()
  try {
    const result = work()
    return { operations: count.end(), result }
  } finally {
    count.stop()
  }
}

/** The same for asynchronous work. Nothing else may run meanwhile. */
export const countAsyncOperations = async (work: () => Promise<void>): Promise<number> => {
  const count = startCount()
  try {
    await work()
    return count.end()
  } finally {
    count.stop()
  }
}

const startCount = () => {
  takeBlocks()
  builtinUnits = 0
  const stop = replaceBuiltins()
  return {
    end: () => {
      stop()
      return takeBlocks() + builtinUnits
    },
    stop,
  }
}

interface Coverage {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[]
}

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

const isCounted = (url: string): boolean => url !== import.meta.url && !url.startsWith('node:')

/** The blocks executed since the previous call. */
const takeBlocks = (): number => {
  let blocks = 0
  // The callback of a session in the same thread runs before `post` returns.
  session.post('Profiler.takePreciseCoverage', (error: Error | null, coverage) => {
    if (error) throw error
    for (const { url, functions } of (coverage as Coverage).result) {
      if (!isCounted(url)) continue
      for (const { ranges } of functions) for (const { count } of ranges) blocks += count
    }
  })
  return blocks
}

let builtinUnits = 0

/** How much a call reads or writes. `lastIndex` is that of a regular expression before the call. */
type Units = (self: never, args: never[], result: never, lastIndex: number) => number

const ofSelf: Units = (self: { length: number }) => self.length
const ofResult: Units = (_self, _args, result: { length: number } | null) => result?.length ?? 1
const ofBoth: Units = (self: { length: number }, _args, result: { length: number }) => self.length + result.length
const ofArgument: Units = (_self, [first]: { length?: number }[]) => first?.length ?? 1

/** Up to the match, or to the end of the text. */
const ofSearch: Units = (self: string, [, from = 0]: number[], result: number | boolean) =>
  (typeof result === 'number' && result >= 0 ? result + 1 : self.length) - Math.min(from, self.length)

const ofMatch: Units = ({ global, sticky }: RegExp, [text]: unknown[], match: RegExpExecArray | null, lastIndex) => {
  const from = global || sticky ? lastIndex : 0
  if (match) return match.index + match[0].length - from + 1
  return sticky ? 1 : Math.max(0, String(text).length - from) + 1
}

const ofUrl: Units = (_self, [text, base]: unknown[], url: URL | null) =>
  `${text}`.length + `${base ?? ''}`.length + (url?.href.length ?? 0)

const typedArray = Object.getPrototypeOf(Uint8Array.prototype)

const builtins: [owner: object, names: (string | symbol)[], units: Units][] = [
  [String.prototype, ['indexOf', 'includes'], ofSearch],
  [String.prototype, ['lastIndexOf', 'split', 'trim', 'trimStart', 'trimEnd', 'localeCompare'], ofSelf],
  [String.prototype, ['replace', 'replaceAll', 'normalize', 'toWellFormed', 'toLowerCase', 'toUpperCase'], ofBoth],
  [String.prototype, ['repeat', 'padStart', 'padEnd', 'concat'], ofResult],
  [String.prototype, ['startsWith', 'endsWith'], ofArgument],
  [RegExp.prototype, ['exec'], ofMatch],
  [Array.prototype, [Symbol.iterator, 'entries', 'indexOf', 'includes', 'sort', 'splice', 'reverse', 'fill'], ofSelf],
  [Array.prototype, ['concat', 'join', 'slice', 'flat', 'toSorted', 'toReversed', 'toSpliced', 'with'], ofResult],
  [Array.prototype, ['unshift', 'lastIndexOf', 'copyWithin'], ofSelf],
  [Array, ['from'], ofResult],
  [Object, ['entries', 'keys', 'values'], ofResult],
  [Object, ['fromEntries', 'assign'], ofArgument],
  [JSON, ['parse'], ofArgument],
  [JSON, ['stringify'], ofResult],
  [TextDecoder.prototype, ['decode'], ofArgument],
  [TextEncoder.prototype, ['encode'], ofResult],
  [Buffer.prototype, ['toString', 'latin1Slice', 'utf8Slice'], ofResult],
  [Buffer.prototype, ['includes', 'indexOf', 'lastIndexOf'], ofSelf],
  [Buffer, ['concat'], ofResult],
  [typedArray, ['slice', 'toReversed', 'toSorted', 'join'], ofResult],
  [typedArray, ['fill', 'indexOf', 'includes', 'sort', Symbol.iterator], ofSelf],
  [typedArray, ['set'], ofArgument],
  [URL, ['parse'], ofUrl],
  [globalThis, ['decodeURIComponent', 'encodeURIComponent', 'atob', 'btoa'], ofArgument],
]

type Builtin = (...args: never[]) => never

/** Returns a function that puts the original ones back. */
const replaceBuiltins = (): (() => void) => {
  for (const { owner, name, counting } of replacements) Object.defineProperty(owner, name, counting)
  return () => {
    for (const { owner, name, original } of replacements) Object.defineProperty(owner, name, original)
  }
}

const replacements = builtins.flatMap(([owner, names, units]) =>
  names.map((name) => {
    const original = Object.getOwnPropertyDescriptor(owner, name)
    if (!original) throw new Error(`no built-in ${String(name)}`)
    const builtin: Builtin = original.value
    function counting(this: never, ...args: never[]): never {
      const lastIndex = (this as { lastIndex?: number } | undefined)?.lastIndex ?? 0
      const result = Reflect.apply(builtin, this, args) as never
      builtinUnits += units(this, args, result, lastIndex)
      return result
    }
    return { owner, name, original, counting: { ...original, value: counting } }
  }),
)
