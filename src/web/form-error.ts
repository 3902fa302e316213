/** Why a form was refused. */
export interface FormError {
  /** The name of the field; in the admin, `<inline>-<key or new>-<field>` for a row of an inline. Absent: the whole form. */
  field?: string
  message: string
}
