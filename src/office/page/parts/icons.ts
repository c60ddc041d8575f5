/** The icons of the navigation: outlines in the colour of the text. */

const PATHS: Readonly<Record<string, string>> = {
  animals: 'M4 6h16M4 12h16M4 18h10',
  search: 'M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16 16l4.5 4.5',
  add: 'M12 5v14M5 12h14',
  import: 'M12 4v10M8 10.5l4 4l4-4M5 16v3.5h14V16',
  keys: 'M8 8.5a3.75 3.75 0 1 0 0 7.5a3.75 3.75 0 0 0 0-7.5M11.5 12H21v3.5M17 12v3',
  people:
    'M9 5.5a3.25 3.25 0 1 0 0 6.5a3.25 3.25 0 0 0 0-6.5M3 19c0-3.5 2.5-5 6-5s6 1.5 6 5M16 6a3 3 0 0 1 0 6M18 14.5c2 .7 3 2.2 3 4.5',
  journal: 'M6 4h12v16H6zM9.5 8.5h5M9.5 12h5M9.5 15.5h3',
  dashboard: 'M4 20h16M6.5 16v-4M12 16V6M17.5 16V9.5',
  more: 'M5 11a1 1 0 1 0 0 2a1 1 0 1 0 0-2M12 11a1 1 0 1 0 0 2a1 1 0 1 0 0-2M19 11a1 1 0 1 0 0 2a1 1 0 1 0 0-2',
}

const SVG = 'http://www.w3.org/2000/svg'

export function icon(name: string) {
  const picture = document.createElementNS(SVG, 'svg')
  picture.setAttribute('viewBox', '0 0 24 24')
  picture.setAttribute('class', 'icon')
  picture.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', PATHS[name] ?? '')
  picture.append(path)
  return picture
}
