/** The facts about a section that an SMS leaves out. */
export const unshownFacts = {
  instructors: [],
  days_times: [],
  places: [],
  school: '',
  term: '',
  register_url: null,
  observed_at: null,
  time_zone: 'UTC',
}
