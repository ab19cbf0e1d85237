export const assign = Object.assign;

export function isNaN(value) {
	return value !== value;
}
