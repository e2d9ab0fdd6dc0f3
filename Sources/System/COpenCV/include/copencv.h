#ifndef LCFILE_COPENCV_H
#define LCFILE_COPENCV_H

#include <stddef.h>

// OpenCV's DNN module, as far as the classifier needs it. OpenCV throws C++ exceptions, which Swift cannot catch: every
// function catches all of them. Functions that can fail write a message of at most `capacity` bytes, with a final zero,
// to `error`. One thread at a time uses a model.

#ifdef __cplusplus
extern "C" {
#endif

/// A loaded network with one input and one output.
typedef struct copencv_model copencv_model;

/// The width and height of the network's input.
enum { copencv_side = 224 };

/// Makes OpenCV compute on the calling thread only.
void copencv_use_one_thread(void);

/// Reads a network in ONNX form from memory; the bytes are not needed afterwards. Returns NULL if that fails.
copencv_model *copencv_model_new(const void *bytes, size_t count, char *error, size_t capacity);

/// Computes the second of the network's two outputs, a probability, for a frame.
///
/// `pixels` has rows of red, green and blue, 224 x 224 of them. The network gets blue, green and red, less the means of
/// the images of its training. Returns 0, or -1 if it failed.
int copencv_model_score(copencv_model *model, const unsigned char *pixels, float *score, char *error, size_t capacity);

/// Releases a model; NULL is allowed.
void copencv_model_free(copencv_model *model);

#ifdef __cplusplus
}
#endif

#endif
