/** The page stays where the reader has scrolled it. @param {HTMLElement} list @param {HTMLElement} element */
export const scrollWithin = (list, element) => {
  const top = element.offsetTop - list.offsetTop - list.clientHeight / 3
  list.scrollTo({ top, behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' })
}
