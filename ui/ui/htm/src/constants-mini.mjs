export const MINI = true;
