/** What people see of colours: their contrast, and how far apart they are. Colours are red, green and blue from 0 to 1, linear. */
export type Colour = readonly [number, number, number]

export const colourOf = (hex: string): Colour => {
  const long = hex.length === 4 ? hex.replaceAll(/[\da-f]/g, '$&$&') : hex
  const channel = (at: number) => {
    const value = Number.parseInt(long.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

/** As WCAG defines it. */
export const contrast = (one: Colour, other: Colour): number => {
  const luminance = ([red, green, blue]: Colour) => 0.2126 * red + 0.7152 * green + 0.0722 * blue
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

type Matrix = readonly [Colour, Colour, Colour]

/** Without the cones for red, green or blue: Machado, Oliveira and Fernandes (2009), severity 1. */
const eyes: Record<string, Matrix> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}
export const eyeNames = Object.keys(eyes)

const times = (matrix: Matrix, [red, green, blue]: Colour): Colour => {
  const row = ([a, b, c]: Colour) => a * red + b * green + c * blue
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])]
}

/** OKLab, in which equal distances look equally different. A difference that can just be seen is about 0.02. */
const perceived = (colour: Colour): Colour => {
  const [long, medium, short] = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour,
  )
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [Math.cbrt(long), Math.cbrt(medium), Math.cbrt(short)],
  )
}

export const distance = (eye: string, one: Colour, other: Colour): number => {
  const matrix = eyes[eye] as Matrix
  const seen = (colour: Colour) => {
    const [red, green, blue] = times(matrix, colour)
    const visible = (value: number) => Math.min(1, Math.max(0, value))
    return perceived([visible(red), visible(green), visible(blue)])
  }
  const [a, b] = [seen(one), seen(other)]
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}
