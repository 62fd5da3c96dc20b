const units = ['kB', 'MB', 'GB', 'TB']

/** Decimal units, as in prices: 1 MB is 1,000,000 bytes. */
export const bytesText = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`
  const unit = units.findIndex((_, index) => bytes < 999.95 * 1_000 ** (index + 1))
  const index = unit < 0 ? units.length - 1 : unit
  const value = bytes / 1_000 ** (index + 1)
  return `${value.toFixed(1)} ${units[index]}`
}

/** `0:05`, `12:34` or `1:02:03`. */
export const durationText = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  const tail = `:${twoDigits(whole % 60)}`
  return hours > 0 ? `${hours}:${twoDigits(minutes)}${tail}` : `${minutes}${tail}`
}

/** Cents at least; smaller amounts with their first two digits, so that none looks free. */
export const dollarsText = (dollars: number): string => {
  const size = Math.abs(dollars)
  const maximumFractionDigits = size > 0 && size < 0.1 ? Math.min(6, 1 - Math.floor(Math.log10(size))) : 2
  const digits = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits, useGrouping: false })
  return `${dollars < 0 ? '-' : ''}$${digits.format(size)}`
}

/** A price as it was set, to a millionth of a dollar. */
export const priceText = (dollars: number): string =>
  dollars === 0 ? 'free' : `$${dollars.toFixed(6).replace(/0{1,4}$/, '')}`

/** `2026-11-22 14:05`, in the time zone of the machine. */
export const localTime = (iso: string): string => {
  const date = new Date(iso)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16).replace('T', ' ')
}
