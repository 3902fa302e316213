import { mkdir } from 'node:fs/promises'
import { dialogOf } from '../browser/directory.ts'
import type { Visit } from '../browser/visit.ts'
import type { Role, Scene } from './screen.ts'
import type { Stage } from './stage.ts'

interface Picture {
  name: string
  scene: Scene
  role: Role
  path: string
  width: 390 | 1280
  theme: 'light' | 'dark'
  act?: (visit: Visit) => Promise<unknown>
}

const folder = '.github/pictures'
const mostBytes = 96 * 1024
const qualities = [75, 68, 60, 50, 42]

/** The pictures of the README. */
const pictures: readonly Picture[] = [
  {
    name: 'add-classes',
    scene: 'tracker gallery',
    role: 'staff',
    path: '/class_tracker/add_classes/',
    width: 1280,
    theme: 'light',
  },
  {
    name: 'class-alerts',
    scene: 'tracker gallery',
    role: 'staff',
    path: '/class_tracker/class_alerts/',
    width: 390,
    theme: 'dark',
  },
  {
    name: 'scheduler',
    scene: 'tracker gallery',
    role: 'staff',
    path: '/scheduler/queues/',
    width: 1280,
    theme: 'dark',
  },
  { name: 'admin', scene: 'tracker gallery', role: 'staff', path: '/admin/recipients/', width: 1280, theme: 'light' },
  {
    name: 'front',
    scene: 'directory gallery',
    role: 'anyone',
    path: '/',
    width: 1280,
    theme: 'light',
  },
  {
    name: 'server',
    scene: 'directory gallery',
    role: 'member',
    path: '/classcords/',
    width: 390,
    theme: 'light',
    async act(visit) {
      await visit.page.getByRole('link', { name: 'Calc II Repair Shop', exact: true }).click()
      await dialogOf(visit).getByRole('link', { name: 'Join' }).first().waitFor()
    },
  },
]

/** Takes the README's pictures. Throws if one cannot be made small enough. */
export async function takePictures(stage: Stage): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { name, scene, role, path, width, theme, act } of pictures) {
    await stage.set(scene)
    await stage.renew()
    const visit = await stage.visitOf(role)
    await visit.show({ width, isDark: theme === 'dark' })
    await visit.open(path)
    await act?.(visit)
    const file = `${folder}/${name}.jpg`
    const size = await takeSmall(visit, file)
    console.log(`${file}  ${(size / 1024).toFixed(1)} KiB`)
  }
}

/** The window as the best picture that is small enough. @returns its bytes; throws if even a poor one is too large */
async function takeSmall({ page }: Visit, file: string): Promise<number> {
  for (const quality of qualities) {
    const { length } = await page.screenshot({ path: file, type: 'jpeg', quality })
    if (length <= mostBytes) return length
  }
  throw new Error(`${file} is larger than ${mostBytes / 1024} KiB.`)
}
