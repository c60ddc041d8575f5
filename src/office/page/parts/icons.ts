/** The icons of the navigation: outlines in the colour of the text. */

const PATHS: Readonly<Record<string, string>> = {
  animals: 'M4 6h16M4 12h16M4 18h10',
  search: 'M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16 16l4.5 4.5',
  add: 'M12 5v14M5 12h14',
  import: 'M12 4v10M8 10.5l4 4l4-4M5 16v3.5h14V16',
  categories: 'M4.5 5h6v6h-6zM13.5 5h6v6h-6zM4.5 14h6v6h-6zM13.5 14h6v6h-6z',
  keys: 'M8 8.5a3.75 3.75 0 1 0 0 7.5a3.75 3.75 0 0 0 0-7.5M11.5 12H21v3.5M17 12v3',
  people:
    'M9 5.5a3.25 3.25 0 1 0 0 6.5a3.25 3.25 0 0 0 0-6.5M3 19c0-3.5 2.5-5 6-5s6 1.5 6 5M16 6a3 3 0 0 1 0 6M18 14.5c2 .7 3 2.2 3 4.5',
  journal: 'M6 4h12v16H6zM9.5 8.5h5M9.5 12h5M9.5 15.5h3',
  report: 'M4.5 6h15v14h-15zM4.5 10.5h15M8.5 3.5v4M15.5 3.5v4M9 14.5h6M9 17h4',
  guide: 'M12 6.5C10 5 7.5 4.5 4 4.5v13c3.5 0 6 .5 8 2c2-1.5 4.5-2 8-2v-13c-3.5 0-6 .5-8 2zM12 6.5v13',
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
