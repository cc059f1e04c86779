// Contrast of colors, as WCAG 2.2 defines it (relative luminance, success criterion 1.4.3).

/** The contrast that text needs against its background. */
export const READABLE_CONTRAST = 4.5
/** The contrast that a control needs against its surroundings (criterion 1.4.11). */
export const VISIBLE_CONTRAST = 3

/** Between 1 and 21. Both colors are `#rrggbb`. */
export function contrastBetween(one: string, other: string): number {
  const [lighter, darker] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

/** Mixes `color` with white in steps of 1 % until it has this contrast on the dark `background`. */
export function lightenedFor(color: string, background: string, least = READABLE_CONTRAST): string {
  for (let share = 0; share < 1; share += 0.01) {
    const channels = channelsOf(color).map((channel) => Math.round(channel + (255 - channel) * share))
    const mixed = `#${Buffer.from(channels).toString('hex')}`
    if (contrastBetween(mixed, background) >= least) return mixed
  }
  return '#ffffff'
}

function luminanceOf(color: string): number {
  const [red, green, blue] = channelsOf(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const channelsOf = (color: string): number[] => [...Buffer.from(color.slice(1), 'hex')]
