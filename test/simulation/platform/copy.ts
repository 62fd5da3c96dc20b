/** A structured clone. JSON-like values, which are nearly all, are copied without the serializer. */
export const copyOf = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return isPlain(value) ? value : structuredClone(value)
  if (Array.isArray(value)) return value.map(copyOf) as T
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value)
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) copy[name] = copyOf((value as Record<string, unknown>)[name])
  return copy as T
}

const isPlain = (value: unknown): boolean => typeof value !== 'function' && typeof value !== 'symbol'
