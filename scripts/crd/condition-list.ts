import { integer, list, object, text, type Schema } from './schema.ts';

/** Schema of the conditions of a kind of backups. */
export const conditionList = (description: string): Schema =>
  list(
    description,
    object(
      'One condition.',
      {
        type: text('Type of the condition.'),
        status: text('Status of the condition: True, False or Unknown.', {
          enum: ['True', 'False', 'Unknown'],
        }),
        reason: text('Machine-readable reason in CamelCase; the reference lists all.'),
        message: text('Human-readable cause and action.'),
        observedGeneration: integer('metadata.generation that the condition describes.', 'int64'),
        lastTransitionTime: text('Time of the last change of the status.', {
          format: 'date-time',
        }),
      },
      { required: ['type', 'status'] },
    ),
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
  );
