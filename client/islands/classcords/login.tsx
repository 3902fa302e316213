import type { ClasscordsLoginProps } from '../../../src/classcords/contract.ts'
import type { IslandProps } from '../index.ts'
import { SignInForm } from './sign-in-form.tsx'

export function Island({ props, context }: IslandProps<ClasscordsLoginProps>) {
  return <SignInForm context={context} referral={props.referral} />
}
