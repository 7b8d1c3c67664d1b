/** Paths of the icons, in a box of 16 by 16. */
const PATHS = {
  store: 'M8 2v8M5 7l3 3 3-3M2.5 13.5h11',
  library: 'M2.5 3.5h11v3h-11zM2.5 9.5h11v3h-11z',
  sites: 'M2 3h12v10H2zM2 6h12M4 4.5h.01M6 4.5h.01',
  money: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v6M6 6.5h3.2M6.8 9.5H10',
  account: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.6-2.8 2.7-4 5.5-4s4.9 1.2 5.5 4',
  operate: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  key: 'M5.5 7.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.7 8.3 13.5 2.5M11 5l2 2',
  mail: 'M2 3.5h12v9H2zM2 4l6 5 6-5',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.2l2 1.3',
  coin: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v4M8 11h.01',
  warning: 'M8 2 1.5 13.5h13zM8 6.5v3.5M8 12h.01',
  stop: 'M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM8 5v3.5M8 11h.01',
  tick: 'M3 8.5l3.3 3.3L13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  wallet: 'M2 4h11v9H2zM9.5 8.5H13M2 4l8-2v2',
  download: 'M8 3v10M4 9l4 4 4-4',
  up: 'M8 13V3M4 7l4-4 4 4',
  again: 'M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3',
  open: 'M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11 9.5v4H2.5V5h4',
  look: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14',
  table: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  tiles: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z',
  bin: 'M3 4.5h10M6.5 4.5V2.5h3v2M4.5 4.5l.7 9h5.6l.7-9',
  pen: 'M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.4 4.4l2.2 2.2',
  pause: 'M5.5 3v10M10.5 3v10',
  folder: 'M1.5 3.5h5l1.5 2h6.5v8h-13z',
  picture: 'M2 3h12v10H2zM2 11l3.5-3.5L9 11l2-2 3 2.5M10.5 5.8h.01',
  film: 'M2 3h12v10H2zM6.5 6v4l3.5-2z',
  sound: 'M3 6v4h2.5L9 13V3L5.5 6zM11.5 5.5a3.5 3.5 0 0 1 0 5',
  page: 'M2 3h12v10H2zM2 6h12M4 4.5h.01M6 4.5h.01',
  text: 'M3 3h10M3 6.5h10M3 10h10M3 13.5h6',
  other: 'M4 1.5h5.5L12.5 5v9.5H4zM9 1.5V5h3.5',
  offline: 'M2 2l12 12M4.5 6.8A6 6 0 0 1 6.5 5.8M9.5 5.8a6 6 0 0 1 3.5 2M6.3 9.3a3 3 0 0 1 3.4 0M8 12.5h.01',
} as const

export type IconName = keyof typeof PATHS

/** An icon beside a word; hidden from screen readers. */
export function Icon({ name, size }: { name: IconName; size?: 'large' | 'small' }) {
  return (
    <svg class={size ? `i ${size}` : 'i'} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
