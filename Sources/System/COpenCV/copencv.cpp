#include "copencv.h"

#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>

struct copencv_model {
    cv::dnn::Net net;
    cv::Mat input;
};

// The means of the images of the training, in the order of the network: blue, green, red.
static const float means[3] = {104, 117, 123};

static void describe(const char *text, char *error, size_t capacity) {
    if (capacity > 0) std::snprintf(error, capacity, "%s", text);
}

// Runs a body; returns 0, or -1 with a message if it throws.
template <typename Body>
static int guarded(char *error, size_t capacity, Body body) {
    try {
        body();
        return 0;
    } catch (const std::exception &exception) {
        describe(exception.what(), error, capacity);
    } catch (...) {
        describe("unknown exception", error, capacity);
    }
    return -1;
}

void copencv_use_one_thread(void) {
    guarded(nullptr, 0, [] { cv::setNumThreads(1); });
}

copencv_model *copencv_model_new(const void *bytes, size_t count, char *error, size_t capacity) {
    copencv_model *model = nullptr;
    int status = guarded(error, capacity, [&] {
        model = new copencv_model();
        model->net = cv::dnn::readNetFromONNX(static_cast<const char *>(bytes), count);
        if (model->net.empty()) CV_Error(cv::Error::StsError, "the network has no layers");
        model->net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
        model->net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
        const int shape[4] = {1, copencv_side, copencv_side, 3};
        model->input.create(4, shape, CV_32F);
    });
    if (status == 0) return model;
    copencv_model_free(model);
    return nullptr;
}

int copencv_model_score(copencv_model *model, const unsigned char *pixels, float *score, char *error,
                        size_t capacity) {
    return guarded(error, capacity, [&] {
        float *values = model->input.ptr<float>();
        for (size_t index = 0; index < (size_t)copencv_side * copencv_side * 3; index += 3) {
            values[index] = pixels[index + 2] - means[0];
            values[index + 1] = pixels[index + 1] - means[1];
            values[index + 2] = pixels[index] - means[2];
        }
        model->net.setInput(model->input);
        cv::Mat output = model->net.forward();
        if (output.type() != CV_32F || output.total() != 2)
            CV_Error(cv::Error::StsError, "the network has another output than two numbers");
        *score = output.ptr<float>()[1];
    });
}

void copencv_model_free(copencv_model *model) {
    guarded(nullptr, 0, [&] { delete model; });
}
